package io.hypersync.e2e.operation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.LongVersion;
import io.hypersync.e2e.harness.PythonProcess;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestCluster;
import io.hypersync.e2e.harness.TestClusterExtension;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** {@code hypersync restore} of what programs have changed, while it is mounted and in use. */
@RealMounts
class RestoreTest {
  private static final List<String> SETTINGS =
      List.of("hypersync.worker.leader_timeout=15s", "hypersync.worker.inotify=true");

  /** Of 50 files each. */
  private static final int DIRECTORIES = Integer.getInteger("hypersync.restore.directories", 20);

  /** How often the leader is killed in one restore. */
  private static final int KILLS = Integer.getInteger("hypersync.restore.kills", 1);

  private static final JsonMapper JSON = new JsonMapper();

  /** Everything that a restore brings back, one line for each path; links by their first name. */
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
              line = [name, first.setdefault(s.st_ino, name), oct(s.st_mode), s.st_uid, s.st_gid,
                      s.st_mtime_ns]
              if stat.S_ISREG(s.st_mode):
                  with open(path, 'rb') as f:
                      line += [s.st_size, s.st_blocks, hashlib.sha256(f.read()).hexdigest()]
              if stat.S_ISLNK(s.st_mode):
                  line += [os.readlink(path)]
              else:
                  line += [(x, os.getxattr(path, x)) for x in sorted(os.listxattr(path))]
              print(*line)
      """;

  private static final String XATTR =
      """
      setx() {
        python3 -c 'import os, sys; os.setxattr("attrs", sys.argv[1], sys.argv[2].encode())' "$@"
      }
      """;

  /** A project with a bit of everything. */
  private static final String MAKE =
      """
      mkdir -p p/src/deep p/docs p/gone && cd p
      echo one > src/inplace; echo two > src/replaced; echo three > src/moved; echo four > gone/f
      head -c 3000000 /dev/urandom > big; head -c 200000 /dev/urandom > parts
      printf 12345 | dd of=parts bs=1 seek=70000 conv=notrunc 2>/dev/null
      truncate -s 5000000 holes; echo end >> holes
      ln src/inplace docs/link; ln -s ../src/moved docs/symlink; mkfifo pipe
      echo x > attrs; setx user.colour blue; chmod 640 attrs; chown 12:34 attrs
      chmod 2750 docs; touch -d 2020-01-02 src/moved; echo deep > src/deep/d
      """;

  /** What happens to it afterwards. */
  private static final String SPOIL =
      """
      cd p
      echo changed in place > src/inplace
      echo new > src/t && mv src/t src/replaced
      mv src/moved docs/elsewhere; rm -r gone; mkdir gone; echo mine > gone/other
      printf xyz | dd of=big bs=1 seek=100000 conv=notrunc 2>/dev/null
      head -c 100 /dev/urandom > parts
      printf data | dd of=holes bs=1 seek=1000 conv=notrunc 2>/dev/null; truncate -s 2000000 holes
      rm docs/symlink pipe; echo file > docs/symlink
      setx user.colour red; setx user.more 1; chmod 600 attrs
      chown 0:0 attrs; chmod 755 docs
      mv src/deep t; mv docs src/deep; mv t docs
      echo made > src/made; mkdir later; echo x > later/x
      """;

  @RegisterExtension final TestClusterExtension extension = new TestClusterExtension(SETTINGS);

  @Test
  void bringsAPathBackOnAllMountsUnderOpenHandlesAndWatchers() throws Exception {
    TestCluster cluster = extension.get();
    Path a = cluster.mount("a");
    Path b = cluster.mount("b");
    cluster.startWorker("c");
    Shell.must(a, "sh", "-ec", XATTR + MAKE);
    Files.writeString(a.resolve("beside"), "before");
    cluster.settle("b", "c");
    String then = list(cluster, b.resolve("p"));
    long inPlace = inode(a.resolve("p/src/inplace"));
    long moved = inode(a.resolve("p/src/moved"));
    long replaced = inode(a.resolve("p/src/replaced"));
    cluster.hypersync("snapshot", "create", "before").orFail("snapshot");
    cluster.worker("c").terminate();
    assertEquals(0, cluster.worker("c").awaitExit(Await.LIMIT));

    Shell.must(a, "sh", "-ec", XATTR + SPOIL);
    Files.writeString(a.resolve("beside"), "after");
    cluster.settle("b");
    String spoiled = list(cluster, b.resolve("p"));
    assertNotEquals(then, spoiled);
    assertEquals(spoiled, list(cluster, a.resolve("p")));
    JsonNode plan = restore(cluster, b.resolve("p"), "--dry-run");
    assertTrue(plan.at("/planned/changed").asLong() >= 4, plan::toString);
    assertEquals(spoiled, list(cluster, b.resolve("p")), "a dry run does nothing");
    try (RandomAccessFile kept = new RandomAccessFile(b.resolve("p/src/inplace").toFile(), "r");
        RandomAccessFile old = new RandomAccessFile(a.resolve("p/src/replaced").toFile(), "r");
        WatchService watcher = b.getFileSystem().newWatchService()) {
      assertEquals("changed in place", kept.readLine());
      Set<String> heard = watch(watcher, b.resolve("p/src"));
      JsonNode done = restore(cluster, b.resolve("p"), "--yes");
      assertEquals(0, done.path("left_count").asLong(), done::toString);
      assertEquals(then, list(cluster, b.resolve("p")));
      cluster.settle("a");
      assertEquals(then, list(cluster, a.resolve("p")));
      kept.seek(0);
      assertEquals("one", kept.readLine(), "the same inode has its old content again");
      assertEquals("new", old.readLine(), "who has the later file open keeps it");
      awaitTheRestore(watcher, heard);
    }
    assertEquals("after", Files.readString(b.resolve("beside")), "what is beside it stays");
    assertEquals(inPlace, inode(b.resolve("p/src/inplace")));
    assertEquals(moved, inode(b.resolve("p/src/moved")));
    assertNotEquals(replaced, inode(b.resolve("p/src/replaced")));
    cluster.startWorker("c");
    cluster.assertSameRoots("a", "b", "c");
    assertEquals(then, list(cluster, cluster.mount("c").resolve("p")), "one that was away");

    JsonNode again = restore(cluster, a.resolve("p"), "--yes");
    assertEquals(0, again.path("entries").asLong(), again::toString);
    Shell text = cluster.hypersync("restore", "beside", "--at", "before", "--yes");
    assertTrue(text.orFail("restore").contains("1 changed, by 3 entries"), text::output);
    assertEquals("before", Files.readString(a.resolve("beside")));
    saysWhatCannotBeRestored(cluster);
  }

  /**
   * One entry, whatever is different; with workers that look on, that are away, and that are new.
   */
  @Test
  void bringsEverythingBackByOneEntry() throws Exception {
    TestCluster cluster = extension.get();
    Path a = cluster.mount("a");
    Path b = cluster.mount("b");
    cluster.startWorker("c");
    Shell.must(a, "sh", "-ec", XATTR + MAKE);
    cluster.settle("b", "c");
    String then = list(cluster, b);
    cluster.hypersync("snapshot", "create", "before").orFail("snapshot");
    cluster.worker("c").terminate();
    assertEquals(0, cluster.worker("c").awaitExit(Await.LIMIT));
    Shell.must(a, "sh", "-ec", XATTR + SPOIL);
    Files.writeString(a.resolve("p/later/x"), "made since");
    cluster.settle("b");
    String spoiled = list(cluster, b);
    long newest = inode(a.resolve("p/later"));
    long index = cluster.leader().status().path("commit_index").asLong();
    JsonNode plan = restoreAll(cluster, "before", "--dry-run");
    assertEquals(0, plan.path("entries").asLong(), plan::toString);
    assertEquals(spoiled, list(cluster, b), "a dry run does nothing");
    try (PythonProcess process = PythonProcess.start();
        WatchService watcher = b.getFileSystem().newWatchService()) {
      process.must("os.chdir('" + b.resolve("p/docs") + "')"); // deep, by another name
      process.must(
          "kept = open('../src/inplace', 'rb', buffering=0); assert kept.read(3) == b'cha'");
      process.must("later = open('../later/x', 'r+b', buffering=0)");
      process.must("assert later.read() == b'made since'");
      assertEquals("ENOENT", process.run("os.stat('../src/moved')"), "its absence is cached");
      Set<String> heard = watch(watcher, b.resolve("p/src"));
      Thread.sleep(1_000); // until the leader knows what is open, and the worker what is watched

      JsonNode done = restoreAll(cluster, "before", "--yes");
      assertEquals(1, done.path("entries").asLong(), done::toString);
      assertEquals(index + 1, done.path("last_index").asLong(), done::toString);
      assertEquals(then, list(cluster, b));
      cluster.settle("a");
      assertEquals(then, list(cluster, a));
      process.must("kept.seek(0); assert kept.read() == b'one\\n'");
      process.must("later.seek(0); assert later.read() == b'made since'");
      process.must(
          "later.seek(0); later.write(b'still'); later.seek(0); assert later.read() =="
              + " b'stillsince'");
      process.must("assert os.fstat(later.fileno()).st_nlink == 0");
      process.must("assert os.getcwd() == '" + b.resolve("p/src/deep") + "', os.getcwd()");
      process.must("assert os.stat('../moved').st_size == 6");
      awaitTheRestore(watcher, heard);
      cluster.leader().kill();
      cluster.worker("a").kill();
      cluster.startLeader();
      cluster.startWorker("a");
      cluster.awaitWritable("b");
      process.must("later.seek(0); assert later.read() == b'stillsince'");
    }
    Files.writeString(a.resolve("new"), "new");
    assertTrue(inode(a.resolve("new")) > newest, "no number is used twice");
    Files.delete(a.resolve("new"));
    cluster.startWorkers("c", "d");
    for (String worker : List.of("a", "b", "c", "d")) {
      cluster.settle(worker);
      assertEquals(names(then), names(list(cluster, cluster.mount(worker))), worker);
    }
    cluster.assertSameRoots("a", "b", "c", "d");

    JsonNode back = restoreAll(cluster, Long.toString(index), "--yes");
    assertEquals(1, back.path("entries").asLong(), back::toString);
    for (String worker : List.of("a", "b", "c", "d")) {
      cluster.settle(worker);
      assertEquals(spoiled, list(cluster, cluster.mount(worker)), worker);
    }
    cluster.hypersync("gc", "--run").orFail("gc");
    cluster.worker("b").kill();
    cluster.startWorker("b");
    assertEquals(spoiled, list(cluster, b));
    cluster.assertSameRoots("a", "b", "c", "d");
  }

  /** All but the root's times, which an entry beside it has changed. */
  private static List<String> names(String listing) {
    return listing.lines().skip(1).toList();
  }

  private static JsonNode restoreAll(TestCluster cluster, String at, String how) throws Exception {
    Shell said = cluster.hypersync("restore", "--all", "--at", at, how, "--json");
    String output = said.orFail("restore");
    return JSON.readTree(output.substring(output.indexOf('{')));
  }

  @Test
  @LongVersion
  void goesOnAfterTheLeaderWasKilledInTheMidst() throws Exception {
    TestCluster cluster = extension.get();
    Path a = cluster.mount("a");
    Shell.must(
        a,
        "sh",
        "-ec",
        "mkdir p; for d in $(seq "
            + DIRECTORIES
            + "); do (mkdir p/$d; for f in $(seq 50); do echo $d $f > p/$d/$f; done) & done; wait");
    String then = list(cluster, a.resolve("p"));
    cluster.hypersync("snapshot", "create", "before").orFail("snapshot");
    Shell.must(a, "sh", "-ec", "mv p/1 q; rm -r p; mkdir p; mv q p/here; echo x > p/here/7");
    for (int kill = 1; kill <= KILLS; kill++) {
      killInTheMidst(cluster, a.resolve("p"), 2_000L * DIRECTORIES * kill / KILLS / 30);
    }
    JsonNode done = restore(cluster, a.resolve("p"), "--yes");
    assertEquals(0, done.path("left_count").asLong(), done::toString);
    System.out.println(done.path("entries") + " entries in " + done.path("duration_ms") + " ms");
    assertEquals(then, list(cluster, a.resolve("p")));
    cluster.assertSameRoots("a", "b");
    assertEquals(then, list(cluster, cluster.mount("b").resolve("p")));
  }

  /** Kills the leader when a restore has made so many entries, and starts it again. */
  private static void killInTheMidst(TestCluster cluster, Path path, long entries)
      throws Exception {
    long before = cluster.leader().status().path("commit_index").asLong();
    CompletableFuture<Shell> cut =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return cluster.hypersync("restore", path.toString(), "--at", "before", "--yes");
              } catch (Exception e) {
                throw new IllegalStateException(e);
              }
            });
    cluster
        .leader()
        .await(
            "restore something",
            status -> status.path("commit_index").asLong() > before + entries || cut.isDone());
    cluster.leader().kill();
    Shell said = cut.get();
    cluster.startLeader();
    cluster.awaitWritable("a");
    if (said.exit() != 0) { // else all was done before the leader ended
      assertTrue(said.output().contains("Ask it again, which goes on from there"), said::output);
    }
  }

  /** The rest of the first test: another workspace would take longer than all of it. */
  private static void saysWhatCannotBeRestored(TestCluster cluster) throws Exception {
    Path a = cluster.mount("a");
    Files.createDirectories(a.resolve("d/sub"));
    Files.writeString(a.resolve("d/sub/f"), "1");
    long index = cluster.leader().status().path("commit_index").asLong();
    Files.move(a.resolve("d"), a.resolve("e"), StandardCopyOption.ATOMIC_MOVE);
    String at = Long.toString(index);
    Shell gone = cluster.hypersync("restore", "d/sub/f", "--at", at, "--yes");
    assertTrue(gone.output().contains("d is no directory in the newest state"), gone::output);
    Shell nowhere = cluster.hypersync("restore", "nowhere", "--at", at, "--yes");
    assertTrue(nowhere.output().contains("in neither of the two states"), nowhere::output);
    Shell outside = cluster.hypersync("restore", "/etc/hosts", "--at", at);
    assertTrue(outside.output().contains("is in no mount of this machine"), outside::output);
    Shell both = cluster.hypersync("restore", "d", "--at", at, "--yes", "--dry-run");
    assertEquals(2, both.exit(), both.output());
    cluster.hypersync("restore", "d", "--at", at, "--yes").orFail("restore");
    assertEquals("1", Files.readString(a.resolve("d/sub/f")));
    assertTrue(Files.exists(a.resolve("e/sub/f")), "what was moved out stays there");
    cluster.hypersync("restore", a.toString(), "--at", at, "--yes").orFail("restore");
    assertFalse(Files.exists(a.resolve("e")));
    assertEquals("1", Files.readString(a.resolve("d/sub/f")));
  }

  private static JsonNode restore(TestCluster cluster, Path path, String how) throws Exception {
    Shell said = cluster.hypersync("restore", path.toString(), "--at", "before", how, "--json");
    String output = said.orFail("restore");
    return JSON.readTree(output.substring(output.indexOf('{')));
  }

  private static String list(TestCluster cluster, Path path) throws Exception {
    return Shell.must(cluster.root(), "python3", "-c", LIST, path.toString());
  }

  private static long inode(Path path) throws Exception {
    return (Long) Files.getAttribute(path, "unix:ino");
  }

  private static void awaitTheRestore(WatchService watcher, Set<String> heard) throws Exception {
    Await.until(
        "the watcher hears of it",
        () -> {
          hear(watcher, heard);
          return heard.containsAll(
              Set.of(
                  "ENTRY_MODIFY inplace",
                  "ENTRY_DELETE made",
                  "ENTRY_CREATE moved",
                  "ENTRY_CREATE replaced"));
        });
  }

  private static Set<String> watch(WatchService watcher, Path directory) throws Exception {
    WatchKey _ =
        directory.register(
            watcher,
            StandardWatchEventKinds.ENTRY_CREATE,
            StandardWatchEventKinds.ENTRY_DELETE,
            StandardWatchEventKinds.ENTRY_MODIFY);
    return new TreeSet<>();
  }

  private static void hear(WatchService watcher, Set<String> heard) {
    List<WatchEvent<?>> events = new ArrayList<>();
    for (WatchKey key = watcher.poll(); key != null; key = watcher.poll()) {
      events.addAll(key.pollEvents());
      key.reset();
    }
    events.forEach(event -> heard.add(event.kind() + " " + event.context()));
  }
}
