package io.hypersync.e2e.operation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.config.HostPort;
import io.hypersync.cli.workspace.WorkspaceDirectory;
import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.LongVersion;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestCluster;
import io.hypersync.e2e.harness.Trees;
import io.hypersync.runtime.file.DurableFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@code hypersync backup}, and workspaces that begin with one: {@code init --from}. */
@RealMounts
class BackupTest {
  /** More of them with {@code -Dhypersync.backup.kills=3}. */
  private static final int KILLS = Integer.getInteger("hypersync.backup.kills", 1);

  private static final JsonMapper JSON = new JsonMapper();
  private static final long MIB = 1 << 20;

  /** All there is to see of a tree, a line for each path; links by their first name. */
  private static final String LIST =
      """
      import hashlib, os, stat, sys
      top, first = sys.argv[1], {}
      for at, dirs, files in os.walk(top):
          dirs.sort()
          for path in [at] + [os.path.join(at, f) for f in sorted(files)] + \\
                  [os.path.join(at, d) for d in dirs if os.path.islink(os.path.join(at, d))]:
              s = os.lstat(path)
              name = os.path.relpath(path, top)
              line = [name, first.setdefault(s.st_ino, name), s.st_ino, oct(s.st_mode), s.st_uid,
                      s.st_gid, s.st_nlink, s.st_mtime_ns, s.st_ctime_ns]
              if stat.S_ISREG(s.st_mode):
                  with open(path, 'rb') as f:
                      line += [s.st_size, s.st_blocks, hashlib.sha256(f.read()).hexdigest()]
              if stat.S_ISLNK(s.st_mode):
                  line += [os.readlink(path)]
              else:
                  line += [(x, os.getxattr(path, x)) for x in sorted(os.listxattr(path))]
              print(*line)
      """;

  private static final String MAKE =
      """
      mkdir -p src/deep docs && echo one > src/a; echo two > src/b
      head -c 6000000 /dev/urandom > big
      truncate -s 5000000 holes; echo end >> holes
      ln src/a docs/link; ln -s ../src/b docs/symlink; mkfifo pipe
      python3 -c 'import os; os.setxattr("src/b", "user.colour", b"blue" * 500)'
      chmod 640 src/b; chown 12:34 src/b; touch -d 2020-01-02 src/a
      for i in $(seq 300); do echo small $i > src/deep/f$i; done
      """;

  private static final String CHANGE =
      """
      echo changed > src/a; rm docs/symlink; mv src/deep docs/deep; echo new > docs/new
      printf xyz | dd of=big bs=1 seek=100000 conv=notrunc 2>/dev/null
      python3 -c 'import os; os.setxattr("src/b", "user.colour", b"red")'
      """;

  private Path folder = Path.of("");

  @BeforeEach
  void makeFolder() throws IOException {
    folder = Files.createTempDirectory("hs-backup-").toRealPath();
  }

  @AfterEach
  void removeFolder() throws IOException {
    DurableFiles.deleteTree(folder);
  }

  private Path backup() {
    return folder.resolve("backup");
  }

  private static JsonNode json(Shell run) throws IOException {
    assertEquals(0, run.exit(), run::output);
    String output = run.output();
    return JSON.readTree(output.substring(output.startsWith("{") ? 0 : output.indexOf("\n{")));
  }

  private JsonNode backUp(TestCluster cluster, String... more) throws Exception {
    List<String> command = new ArrayList<>(List.of("backup", backup().toString(), "--json"));
    command.addAll(List.of(more));
    return json(cluster.hypersync(command));
  }

  private static String list(Path top) throws Exception {
    return Shell.must(top, "python3", "-c", LIST, top.toString());
  }

  /** A workspace that begins with the backup; nothing runs yet. */
  private TestCluster begin(TestCluster other, String... more) throws Exception {
    return TestCluster.found(
        TestCluster.PATIENT,
        (directory, address) -> {
          init(other, directory, address, more);
          return WorkspaceDirectory.open(directory);
        });
  }

  private void init(TestCluster other, Path directory, HostPort address, String... more)
      throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                "init",
                directory.toString(),
                "--bind",
                address.toString(),
                "--from",
                backup().toString()));
    command.addAll(List.of(more));
    try {
      Shell run = other.hypersync(command);
      assertEquals(0, run.exit(), run::output);
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  @Test
  void aWorkspaceBeginsAgainWithAnyStateOfABackup() throws Exception {
    try (TestCluster cluster = TestCluster.start(TestCluster.PATIENT, "a")) {
      Path mount = cluster.mount("a");
      Shell.must(mount, "sh", "-ec", MAKE);
      cluster.settle("a");
      JsonNode first = backUp(cluster);
      String then = list(mount);
      assertTrue(first.path("copied_bytes").asLong() > 6_000_000, first::toString);
      assertEquals(first.path("chunks"), first.path("copied_chunks"), first::toString);

      Shell.must(mount, "sh", "-ec", CHANGE);
      cluster.settle("a");
      JsonNode second = backUp(cluster);
      String now = list(mount);
      assertNotEquals(then, now);
      long copied = second.path("copied_bytes").asLong();
      assertTrue(copied > 0 && copied < MIB, second::toString);
      JsonNode third = backUp(cluster);
      assertEquals(second.path("index"), third.path("index"));
      assertEquals(0, third.path("copied_bytes").asLong(), third::toString);

      JsonNode listed = json(cluster.hypersync("backup", "--list", backup().toString(), "--json"));
      assertEquals(2, listed.path("states").size(), listed::toString);
      assertEquals(first.path("index"), listed.at("/states/0/index"));
      assertTrue(listed.at("/states/0/nodes").asLong() > 300, listed::toString);
      JsonNode checked =
          json(cluster.hypersync("backup", "--verify", backup().toString(), "--json"));
      assertEquals(0, checked.path("bad").asLong(), checked::toString);
      assertEquals(2, checked.path("states").asLong(), checked::toString);

      requireNewest(cluster, mount, now);
      String index = first.path("index").asText();
      try (TestCluster old = begin(cluster, "--at", index)) {
        old.startLeader();
        old.startWorker("x");
        assertEquals(then, list(old.mount("x")));
      }
    }
  }

  /** The newest state, in a workspace that lives on: writes, kills, other workers. */
  private void requireNewest(TestCluster cluster, Path mount, String now) throws Exception {
    try (TestCluster restored = begin(cluster)) {
      assertNotEquals(cluster.workspace().id(), restored.workspace().id());
      restored.startLeader();
      String log = restored.hypersync("log").orFail("log");
      assertFalse(log.contains("CreateFile"), log);
      restored.startWorker("x");
      assertEquals(now, list(restored.mount("x")));
      Trees.assertSame(mount, restored.mount("x"));
      Files.writeString(restored.mount("x").resolve("docs/later"), "later");
      Files.delete(restored.mount("x").resolve("big"));
      restored.settle("x");
      restored.leader().kill();
      restored.startLeader();
      restored.awaitWritable("x");
      restored.startWorker("y");
      assertEquals("later", Files.readString(restored.mount("y").resolve("docs/later")));
      assertFalse(Files.exists(restored.mount("y").resolve("big")));
      assertEquals("small 8\n", Files.readString(restored.mount("y").resolve("docs/deep/f8")));
      restored.settle("x", "y");
      restored.assertSameRoots("x", "y");
      Trees.assertSame(restored.mount("x"), restored.mount("y"));
      restored.hypersync("snapshot", "verify", newestSnapshot(restored)).orFail("verify");
      JsonNode foreign = restored.leader().ask("backup", request(backup(), MIB));
      Await.until("it ends", () -> ended(restored, foreign) != null);
      JsonNode refused = ended(restored, foreign);
      assertTrue(String.valueOf(refused).contains("has backups of another workspace"));
    }
  }

  private static String newestSnapshot(TestCluster cluster) throws Exception {
    cluster.hypersync("snapshot", "create", "now").orFail("snapshot create");
    return "now";
  }

  private static ObjectNode request(Path directory, long rate) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("do", "run")
        .put("dir", directory.toString())
        .put("bytes_per_second", rate);
  }

  private static JsonNode status(TestCluster cluster) {
    return cluster
        .leader()
        .ask("backup", JsonNodeFactory.instance.objectNode().put("do", "status"));
  }

  private static @Nullable JsonNode ended(TestCluster cluster, JsonNode asked) {
    for (JsonNode run : status(cluster).path("runs")) {
      if (run.path("number").equals(asked.path("number"))) {
        return run;
      }
    }
    return null;
  }

  @Test
  @LongVersion
  void aBackupThatWasKilledIsGoneOnWith() throws Exception {
    try (TestCluster cluster = TestCluster.start(TestCluster.PATIENT, "a")) {
      Path mount = cluster.mount("a");
      Shell.must(mount, "sh", "-ec", MAKE);
      cluster.settle("a");
      for (int kills = 0; kills < KILLS; kills++) {
        cluster.leader().ask("backup", request(backup(), MIB));
        Await.until(
            "something is copied",
            () -> status(cluster).at("/current/copied_bytes").asLong() > MIB * 3 / 2);
        cluster.leader().kill();
        JsonNode listed =
            json(cluster.hypersync("backup", "--list", backup().toString(), "--json"));
        assertEquals(0, listed.path("states").size(), listed::toString);
        Shell none = cluster.hypersync("init", folder + "/none", "--from", backup().toString());
        assertEquals(1, none.exit(), none::output);
        assertTrue(none.output().contains("no state that is complete"), none::output);
        cluster.startLeader();
        cluster.awaitWritable("a");
      }
      JsonNode whole = backUp(cluster);
      assertTrue(whole.path("copied_bytes").asLong() < 6_000_000 - MIB, whole::toString);
      assertTrue(
          whole.path("copied_chunks").asLong() < whole.path("chunks").asLong(), whole::toString);
      Shell checked = cluster.hypersync("backup", "--verify", backup().toString());
      assertEquals(0, checked.exit(), checked::output);
      assertTrue(checked.output().contains("all is well"), checked::output);
      try (TestCluster restored = begin(cluster)) {
        restored.startLeader();
        restored.startWorker("x");
        assertEquals(list(mount), list(restored.mount("x")));
      }
    }
  }

  /** A chunk store leaves 128 MiB free. */
  @Test
  void aBackupThatMeetsAFullDiskIsRepeatedWhenThereIsRoom() throws Exception {
    try (TestCluster cluster = TestCluster.start(TestCluster.PATIENT, "a")) {
      Path mount = cluster.mount("a");
      Shell.must(mount, "sh", "-ec", "head -c 24000000 /dev/urandom > large");
      cluster.settle("a");
      Path disk = cluster.tmpfs("disk", 128 + 16);
      Path there = disk.resolve("backup");
      Shell full = cluster.hypersync("backup", there.toString());
      assertEquals(1, full.exit(), full::output);
      assertTrue(full.output().contains("no room in " + there), full::output);
      assertTrue(full.output().contains("do the same again"), full::output);
      JsonNode listed = json(cluster.hypersync("backup", "--list", there.toString(), "--json"));
      assertEquals(0, listed.path("states").size(), listed::toString);
      Files.writeString(mount.resolve("meanwhile"), "the workspace goes on");
      Shell.must(disk, "mount", "-o", "remount,size=400m", disk.toString());
      JsonNode done = json(cluster.hypersync("backup", there.toString(), "--json"));
      assertTrue(done.path("copied_bytes").asLong() < 24_000_000 - MIB, done::toString);
      Shell checked = cluster.hypersync("backup", "--verify", there.toString());
      assertEquals(0, checked.exit(), checked::output);
    }
  }

  @Test
  void aBackupDoesNotKeepTheLeaderFromStoppingNorTheWorkspaceFromWriting() throws Exception {
    try (TestCluster cluster = TestCluster.start(TestCluster.PATIENT, "a")) {
      Path mount = cluster.mount("a");
      Shell.must(mount, "sh", "-ec", MAKE);
      cluster.settle("a");
      JsonNode asked = cluster.leader().ask("backup", request(backup(), MIB / 4));
      Await.until(
          "something is copied",
          () -> status(cluster).at("/current/copied_bytes").asLong() > MIB / 8);
      Shell second = cluster.hypersync("backup", folder.resolve("other").toString());
      assertEquals(1, second.exit(), second::output);
      assertTrue(second.output().contains("a backup is under way"), second::output);
      Shell busy = cluster.hypersync("backup", "--verify", backup().toString());
      assertEquals(1, busy.exit(), busy::output);
      assertTrue(busy.output().contains("is in use by a backup"), busy::output);
      Files.writeString(mount.resolve("meanwhile"), "written");
      assertEquals(1, asked.path("number").asLong());
      long beganNs = System.nanoTime();
      cluster.leader().terminate();
      assertEquals(0, cluster.leader().awaitExit(Await.LIMIT));
      long tookNs = System.nanoTime() - beganNs;
      assertTrue(tookNs < Duration.ofSeconds(10).toNanos(), tookNs + " ns to stop");
    }
  }

  @Test
  void aBackupIsNotPutWhereItIsOfNoUse() throws Exception {
    try (TestCluster cluster = TestCluster.start(TestCluster.PATIENT, "a")) {
      Files.writeString(cluster.mount("a").resolve("f"), "text");
      Shell inside = cluster.hypersync("backup", cluster.mount("a").resolve("b").toString());
      assertEquals(1, inside.exit(), inside::output);
      assertTrue(inside.output().contains("HyperSync mount"), inside::output);
      Path state = cluster.workspace().stateDir();
      Shell beside = cluster.hypersync("backup", state.resolve("b").toString());
      assertEquals(1, beside.exit(), beside::output);
      assertTrue(beside.output().contains("in the leader's state directory"), beside::output);
      Shell past = cluster.hypersync("backup", backup().toString(), "--at", "999999");
      assertEquals(1, past.exit(), past::output);
      assertTrue(past.output().contains("there is no snapshot of entry 999999"), past::output);
    }
  }
}
