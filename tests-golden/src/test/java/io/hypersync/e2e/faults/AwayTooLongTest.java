package io.hypersync.e2e.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.DaemonJvm;
import io.hypersync.e2e.harness.Directories;
import io.hypersync.e2e.harness.InotifyWatcher;
import io.hypersync.e2e.harness.LongVersion;
import io.hypersync.e2e.harness.PythonProcess;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A mounted worker that was away for so long that the log does not have what it lacks: what it
 * shows jumps to a snapshot, under processes that have directories, files and pages of the old
 * state (hypersync.md 12.4, docs/kernel-caching.md).
 */
@RealMounts
class AwayTooLongTest {
  private static final String[] KEEP_NOTHING = {
    "--set", "hypersync.log.retain=0s", "--set", "hypersync.log.retain_entries=0"
  };
  private static final List<String> WORKERS =
      List.of("hypersync.worker.leader_timeout=5s", "hypersync.worker.inotify=true");
  private static final int MANY = 500;
  private static final int MAX_LAG = 50;
  private static final int ROUNDS = Integer.getInteger("hypersync.away.rounds", 2);

  private TestCluster cluster;
  private Path onA;
  private Path onB;
  private boolean isAway;

  @BeforeEach
  void start() throws Exception {
    cluster = TestCluster.create(WORKERS);
    cluster.startLeader(KEEP_NOTHING);
    cluster.launchWorker("a");
    cluster.launchWorker("b");
    cluster.awaitWritable("a");
    cluster.awaitWritable("b");
    onA = cluster.mount("a");
    onB = cluster.mount("b");
  }

  @AfterEach
  void stop() throws Exception {
    if (isAway) {
      cluster.worker("b").thaw();
    }
    Path bound = onB.resolve("dir/bound");
    if (Files.exists(bound.resolve("x"))) { // a test has failed
      Shell.must(cluster.root(), "umount", bound.toString());
    }
    cluster.close();
  }

  @Test
  void whatAKernelHasOfTheOldStateGivesWayToTheNewOne() throws Exception {
    Files.createDirectories(onA.resolve("dir/sub"));
    Files.createDirectories(onA.resolve("elsewhere"));
    Files.createDirectories(onA.resolve("gone/with"));
    for (String name : List.of("same", "rewritten", "grown", "removed", "replaced", "linked")) {
      Files.writeString(onA.resolve("dir").resolve(name), "old " + name);
    }
    Directories.fill(onA.resolve("dir/sub"), "f", MANY, _ -> "old");
    Path outside = Files.createDirectory(cluster.root().resolve("outside"));
    Files.writeString(outside.resolve("x"), "outside");
    Path bound = onB.resolve("dir/bound");
    Files.createDirectory(onA.resolve("dir/bound"));
    cluster.settle("a", "b");
    Shell.must(cluster.root(), "mount", "--bind", outside.toString(), bound.toString());
    try (PythonProcess inside = PythonProcess.start();
        PythonProcess holder = PythonProcess.start();
        InotifyWatcher watcher = InotifyWatcher.of(onB.resolve("dir"))) {
      inside.must("os.chdir('" + onB.resolve("dir/sub") + "')");
      holder.must("os.chdir('" + onB.resolve("dir") + "')");
      for (String name : List.of("same", "rewritten", "grown", "removed", "replaced")) {
        holder.must(name + " = open('" + name + "', 'rb', buffering=0)");
        holder.must("assert " + name + ".read() == b'old " + name + "'");
      }
      holder.must("m = mmap.mmap(rewritten.fileno(), 0, prot=mmap.PROT_READ)");
      holder.must("assert m[:] == b'old rewritten'");
      assertEquals("ENOENT", holder.run("os.stat('made')"), "its absence is cached");
      holder.must("assert len(os.listdir('sub')) == " + MANY);
      holder.must("assert os.stat('../gone/with').st_nlink == 2");
      Await.until(
          "the watch is found",
          () -> cluster.worker("b").status().at("/inotify/watched").asInt() > 0);

      leave();
      Files.move(onA.resolve("dir/sub"), onA.resolve("elsewhere/moved"));
      Files.writeString(onA.resolve("dir/rewritten"), "new rewritten");
      Files.writeString(onA.resolve("dir/grown"), "new grown, and longer");
      Files.delete(onA.resolve("dir/removed"));
      Files.delete(onA.resolve("dir/replaced"));
      Files.writeString(onA.resolve("dir/replaced"), "new replaced");
      Files.writeString(onA.resolve("dir/made"), "new made");
      Files.createLink(onA.resolve("elsewhere/link"), onA.resolve("dir/linked"));
      Shell.must(onA, "rm", "-r", "gone");
      Shell.must(onA, "chmod", "0600", "dir/same");
      Shell.must(onA, "chown", "1000:1000", "dir/linked");
      comeBack();

      holder.must("rewritten.seek(0); assert rewritten.read() == b'new rewritten'");
      holder.must("assert m[:] == b'new rewritten'");
      holder.must("grown.seek(0, 2); assert grown.tell() == 21, grown.tell()");
      holder.must("assert os.fstat(grown.fileno()).st_size == 21");
      holder.must("same.seek(0); assert same.read() == b'old same'");
      holder.must("assert os.fstat(same.fileno()).st_mode & 0o777 == 0o600");
      holder.must("assert open('replaced', 'rb').read() == b'new replaced'");
      holder.must("assert open('made', 'rb').read() == b'new made'");
      holder.must("assert os.stat('linked').st_uid == 1000 and os.stat('linked').st_nlink == 2");
      assertTrue(
          Files.exists(bound.resolve("x")),
          () -> "what is mounted inside stays\n" + cluster.worker("b").tail(30));
      assertEquals("outside", Files.readString(bound.resolve("x")));
      Shell.must(cluster.root(), "umount", bound.toString());
      holder.must(
          "assert sorted(os.listdir('.')) == ['bound', 'grown', 'linked', 'made', 'replaced',"
              + " 'rewritten', 'same'], os.listdir('.')");
      assertEquals("ENOENT", holder.run("os.stat('sub')"));
      assertEquals("ENOENT", holder.run("os.stat('removed')"));
      assertEquals("ENOENT", holder.run("os.stat('../gone')"));
      inside.must("assert os.getcwd() == '" + onB.resolve("elsewhere/moved") + "', os.getcwd()");
      inside.must("assert len(os.listdir('.')) == " + MANY);
      inside.must("open('from inside', 'w').write('x')");
      assertEquals("x", Files.readString(onA.resolve("elsewhere/moved/from inside")));
      assertEquals(tree(onA), tree(onB));
      watcher.awaitEvents("CREATE made", "DELETE removed", "MODIFY rewritten", "DELETE,ISDIR sub");
    }
    cluster.settle("a", "b");
    cluster.assertSameRoots("a", "b");
  }

  /** The others do not wait for it, and what it does afterwards is as of any other worker. */
  @Test
  @LongVersion
  void itGoesOnAsAnyOtherAndMayBeAwayAgain() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      Files.writeString(onB.resolve("b" + round), "from b");
      cluster.settle("a", "b");
      leave();
      for (int i = 0; i < 50; i++) {
        Files.writeString(onA.resolve("a" + i), "round " + round);
      }
      comeBack();
      assertEquals("round " + round, Files.readString(onB.resolve("a49")));
      Files.writeString(onB.resolve("a49"), "from b");
      assertEquals("from b", Files.readString(onA.resolve("a49")));
      assertEquals(tree(onA), tree(onB));
    }
    DaemonJvm killed = cluster.worker("b");
    killed.kill();
    cluster.startWorker("b");
    assertEquals(tree(onA), tree(onB));
    cluster.settle("a", "b");
    cluster.assertSameRoots("a", "b");
  }

  /** Too far behind to follow, though the log has all that it lacks (hypersync.md 12.4). */
  @Test
  void whoFallsTooFarBehindGetsASnapshotAndNobodyWaitsForIt() throws Exception {
    cluster.leader().kill();
    cluster.startLeader("--set", "hypersync.snapshots.max_lag_entries=" + MAX_LAG);
    cluster.awaitWritable("a");
    cluster.awaitWritable("b");
    var _ = medianNs("warm"); // the code of both daemons is compiled meanwhile
    cluster.settle("a", "b");
    long before = medianNs("before");
    cluster.settle("a", "b");

    cluster.worker("b").freeze();
    isAway = true;
    long connected = medianNs("connected");
    Await.until("the leader misses it", () -> connected() == 1);
    long away = medianNs("away");
    for (long now : new long[] {connected, away}) {
      assertTrue(
          now < 3 * before + TimeUnit.MILLISECONDS.toNanos(5),
          before + " ns with b, then " + connected + " ns, and " + away + " ns without");
    }
    var _ = cluster.hypersync("snapshot", "create").orFail("snapshot create");
    assertEquals(1, cluster.leader().status().path("log_first_index").asLong());

    cluster.worker("b").thaw();
    isAway = false;
    cluster.awaitWritable("b");
    cluster.settle("a", "b");
    assertTrue(
        cluster.worker("b").log().contains("to the snapshot of entry"),
        "it was given entries after all");
    assertEquals(tree(onA), tree(onB));
    cluster.assertSameRoots("a", "b");
  }

  /** How long it takes on a to make a file with some bytes; more entries than b may lack. */
  private long medianNs(String name) throws IOException {
    Path directory = Files.createDirectory(onA.resolve(name));
    long[] took = new long[2 * MAX_LAG];
    for (int i = 0; i < took.length; i++) {
      long beginNs = System.nanoTime();
      Files.writeString(directory.resolve("f" + i), "text " + i);
      took[i] = System.nanoTime() - beginNs;
    }
    Arrays.sort(took);
    return took[took.length / 2];
  }

  private void leave() throws Exception {
    cluster.worker("b").freeze();
    isAway = true;
    Await.until("the leader misses it", () -> connected() == 1);
  }

  /** What it lacks is trimmed first. */
  private void comeBack() throws Exception {
    long last = cluster.leader().status().path("commit_index").asLong();
    cluster.leader().kill();
    cluster.startLeader(KEEP_NOTHING); // which begins another segment of the log
    cluster.awaitWritable("a");
    for (int i = 0; i < 2; i++) { // the log goes up to the older of two
      Files.writeString(onA.resolve("more"), "more " + i);
      var _ = cluster.hypersync("snapshot", "create").orFail("snapshot create");
    }
    Await.until(
        "the log is trimmed",
        () -> cluster.leader().status().path("log_first_index").asLong() >= last);
    cluster.worker("b").thaw();
    isAway = false;
    cluster.awaitWritable("b");
    cluster.settle("a", "b");
    assertTrue(
        cluster.worker("b").log().contains("to the snapshot of entry"),
        "it was given entries after all");
  }

  private int connected() {
    int connected = 0;
    for (var worker : cluster.leader().status().path("workers")) {
      connected += worker.path("connected").asBoolean() ? 1 : 0;
    }
    return connected;
  }

  private static String tree(Path mount) throws IOException, InterruptedException {
    return Shell.must(mount, "find", ".", "-printf", "%P %y %m %U %s %T@\\n")
        .lines()
        .sorted()
        .toList()
        .toString();
  }
}
