package io.hypersync.e2e.operation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestCluster;
import io.hypersync.runtime.admin.UserError;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** States of the past beside a mount (hypersync.md 13, 14). */
@RealMounts
class PastMountTest {
  private static final JsonMapper JSON = new JsonMapper();

  /** Nothing is kept for workers that are away, and the log is trimmed to what a start needs. */
  private static final String[] SETTINGS = {
    "--set", "hypersync.gc.replay_entries=0", "--set", "hypersync.snapshots.retain=2"
  };

  /** What stat, readlink, getxattr and read say of all that is below a directory. */
  private static final String LOOK =
      """
      import hashlib, os, sys
      os.chdir(sys.argv[1])
      def look(path):
          s = os.lstat(path)
          row = [path, oct(s.st_mode), s.st_nlink, s.st_ino, s.st_uid, s.st_gid, s.st_mtime_ns, s.st_ctime_ns]
          if os.path.islink(path):
              row.append(os.readlink(path))
          elif os.path.isfile(path):
              row += [s.st_size, hashlib.sha256(open(path, 'rb').read()).hexdigest()]
              row += [(n, os.getxattr(path, n)) for n in sorted(os.listxattr(path))]
          print(row)
      look('.')
      for directory, below, files in os.walk('.'):
          below.sort()
          print(directory, sorted(os.listdir(directory)))
          for name in sorted(below + files):
              look(os.path.join(directory, name))
      """;

  /** Calls that would change something, each with the same arguments: a mount. */
  private static final Map<String, String> CHANGES = new LinkedHashMap<>();

  static {
    CHANGES.put("open for writing", "os.open(p + '/src/f', os.O_WRONLY)");
    CHANGES.put("open for appending", "os.open(p + '/src/f', os.O_RDWR | os.O_APPEND)");
    CHANGES.put("truncate at open", "os.open(p + '/src/f', os.O_WRONLY | os.O_TRUNC)");
    CHANGES.put("truncate", "os.truncate(p + '/src/f', 0)");
    CHANGES.put("create", "os.open(p + '/new', os.O_CREAT | os.O_WRONLY)");
    CHANGES.put("temporary", "os.open(p, os.O_TMPFILE | os.O_RDWR)");
    CHANGES.put("mkdir", "os.mkdir(p + '/new')");
    CHANGES.put("mkfifo", "os.mkfifo(p + '/new')");
    CHANGES.put("symlink", "os.symlink('x', p + '/new')");
    CHANGES.put("link", "os.link(p + '/src/f', p + '/new')");
    CHANGES.put("rename", "os.rename(p + '/src/f', p + '/src/g')");
    CHANGES.put("unlink", "os.unlink(p + '/src/f')");
    CHANGES.put("rmdir", "os.rmdir(p + '/empty')");
    CHANGES.put("chmod", "os.chmod(p + '/src/f', 0o600)");
    CHANGES.put("chown", "os.chown(p + '/src/f', 1, 1)");
    CHANGES.put("utimes", "os.utime(p + '/src/f', (1, 1))");
    CHANGES.put("setxattr", "os.setxattr(p + '/src/f', 'user.a', b'2')");
    CHANGES.put("removexattr", "os.removexattr(p + '/src/f', 'user.a')");
  }

  private final Random random = new Random(1);

  @Test
  void showsTheWorkspaceAsItWasWhateverBecomesOfIt() throws Exception {
    try (TestCluster cluster = TestCluster.create(TestCluster.PATIENT)) {
      cluster.putJavaOptions("leader", "-Dhypersync.chunks.segment_bytes=" + (128 << 10));
      cluster.launchLeader(SETTINGS);
      cluster.startWorker("a");
      Path mount = cluster.mount("a");
      Path past = cluster.root().resolve("past");
      Path named = cluster.root().resolve("named");
      Path early = cluster.root().resolve("early");

      fill(mount);
      long first = index(cluster);
      String was = look(mount);
      change(mount);
      snapshot(cluster, "create", "changed");
      String changed = look(mount);
      wreck(mount);
      cluster.settle("a");

      JsonNode answer =
          json(
              cluster
                  .hypersync("mount", "--at", Long.toString(first), past.toString(), "--json")
                  .orFail("mount"));
      assertEquals(first, answer.path("index").asLong(), answer::toString);
      assertEquals(past.toString(), answer.path("mount").asText());
      mounted(cluster, "changed", named);
      mounted(cluster, Long.toString(first), early); // the same one twice
      assertEquals(was, look(past));
      assertEquals(was, look(early));
      assertEquals(changed, look(named));
      assertTrue(Files.exists(mount.resolve("later")));
      cluster.hypersync("umount", early.toString()).orFail("umount");
      assertFalse(Files.exists(early), "it was made for the mount");

      refusesAllChanges(past);

      // Nothing but the mounts keeps what they show.
      for (int i = 0; i < 3; i++) {
        Files.writeString(mount.resolve("later"), "more " + i);
        cluster.settle("a");
        snapshot(cluster, "create", "");
      }
      snapshot(cluster, "rm", "changed");
      JsonNode found = collected(cluster);
      long kept = pinned(found, first, "a");
      assertTrue(kept > 100_000, found::toString);
      var _ = cluster.worker("a").ask("gc", arguments("run"));
      assertEquals(was, look(past));
      assertEquals(changed, look(named));

      cluster.leader().kill();
      cluster.startLeader(SETTINGS);
      JsonNode afterStart = collected(cluster); // perhaps before the worker has asked again
      assertTrue(pinned(afterStart, first, "") > 100_000, afterStart::toString);
      cluster.awaitWritable("a");
      assertEquals(was, look(past));
      assertEquals(changed, look(named));

      refuses(cluster, "head", mount.resolve("x"), "inside of " + mount);
      refuses(cluster, "999999999", early, "there is no entry 999999999 yet");
      refuses(cluster, "nothing", early, "is no state of the workspace");
      refuses(cluster, "0", early, "before entry 1 there was nothing");
      refuses(cluster, "head", cluster.root(), "is not empty");
      assertFalse(Files.exists(early));

      Shell.must(cluster.root(), "umount", past.toString());
      Await.until("the folder is taken away", () -> !Files.exists(past));
      Await.until("it is not held", () -> pinned(collected(cluster), first, "") == 0);
      assertEquals(changed, look(named));

      cluster.worker("a").kill();
      Await.until("the guard has taken it away", () -> !Files.exists(named));
    }
  }

  private static void refusesAllChanges(Path past) throws Exception {
    StringBuilder script = new StringBuilder("import errno, os, sys\np = sys.argv[1]\n");
    CHANGES.forEach(
        (name, call) ->
            script.append(
                "try:\n  %s\n  print('%s: done')\nexcept OSError as e:\n  print('%s:', errno.errorcode[e.errno])\n"
                    .formatted(call, name, name)));
    List<String> expected = CHANGES.keySet().stream().map(name -> name + ": EROFS").toList();
    String said = Shell.must(past.getParent(), "python3", "-c", script.toString(), past.toString());
    assertEquals(expected, said.lines().toList());
  }

  private void fill(Path mount) throws Exception {
    Files.createDirectories(mount.resolve("src/deep/deeper"));
    Files.createDirectory(mount.resolve("empty"));
    Files.writeString(mount.resolve("src/f"), "what f was");
    Files.write(mount.resolve("src/deep/large"), bytes(300_000));
    Files.createLink(mount.resolve("src/hard"), mount.resolve("src/f"));
    Files.createSymbolicLink(mount.resolve("link"), Path.of("src/deep"));
    Files.setAttribute(mount.resolve("src/f"), "user:a", "1".getBytes(StandardCharsets.UTF_8));
    for (int i = 0; i < 100; i++) {
      Files.writeString(mount.resolve("src/deep/deeper/file-" + i), "content " + i);
    }
    Shell.must(mount, "chmod", "640", "src/f");
  }

  private void change(Path mount) throws Exception {
    Files.write(mount.resolve("src/deep/large"), bytes(200_000));
    Files.writeString(mount.resolve("src/f"), "what f became");
    Files.move(mount.resolve("src/deep/deeper"), mount.resolve("moved"));
  }

  private static void wreck(Path mount) throws Exception {
    Shell.must(mount, "sh", "-c", "rm -rf *");
    Files.writeString(mount.resolve("later"), "later");
  }

  private byte[] bytes(int count) {
    byte[] bytes = new byte[count];
    random.nextBytes(bytes);
    return bytes;
  }

  private static String look(Path directory) throws Exception {
    return Shell.must(directory.getParent(), "python3", "-c", LOOK, directory.toString());
  }

  private static long index(TestCluster cluster) {
    return cluster.leader().status().path("commit_index").asLong();
  }

  private static JsonNode mounted(TestCluster cluster, String at, Path path) {
    return cluster
        .worker("a")
        .ask("mount", arguments("add").put("at", at).put("path", path.toString()));
  }

  private static void refuses(TestCluster cluster, String at, Path path, String why) {
    UserError refusal = assertThrows(UserError.class, () -> mounted(cluster, at, path));
    assertTrue(refusal.message().contains(why), refusal::message);
  }

  private static ObjectNode arguments(String what) {
    return JsonNodeFactory.instance.objectNode().put("do", what);
  }

  private static void snapshot(TestCluster cluster, String what, String name) {
    String key = what.equals("create") ? "name" : "snapshot";
    var _ = cluster.leader().ask("snapshot", arguments(what).put(key, name));
  }

  private static JsonNode json(String said) throws Exception {
    return JSON.readTree(said.substring(said.indexOf('{')));
  }

  private static JsonNode collected(TestCluster cluster) throws Exception {
    JsonNode asked = cluster.leader().ask("gc", arguments("run"));
    long number = asked.path("number").asLong();
    Await.until("the run", () -> collections(cluster).path("ended").asLong() >= number);
    JsonNode status = collections(cluster);
    assertTrue(status.path("last_failure").isNull(), status::toString);
    return status.path("last");
  }

  private static JsonNode collections(TestCluster cluster) {
    return cluster.leader().ask("gc", arguments("status"));
  }

  /** How much a mounted state keeps. */
  private static long pinned(JsonNode report, long index, String worker) {
    for (JsonNode pin : report.path("pins")) {
      if (pin.path("kind").asText().equals("mounted")
          && pin.path("index").asLong() == index
          && pin.path("name").asText().contains(worker)) {
        assertTrue(pin.path("since").asText().startsWith("20"), pin::toString);
        return pin.path("bytes").asLong();
      }
    }
    return 0;
  }
}
