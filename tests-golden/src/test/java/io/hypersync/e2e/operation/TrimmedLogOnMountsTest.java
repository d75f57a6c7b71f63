package io.hypersync.e2e.operation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.DaemonJvm;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestCluster;
import io.hypersync.e2e.harness.TestClusterExtension;
import io.hypersync.runtime.file.DurableFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A leader whose log no longer begins with entry 1 (hypersync.md 14.1): it starts, old and new
 * workers have all files, and what is gone is said.
 */
@RealMounts
class TrimmedLogOnMountsTest {
  private static final String[] KEEP_NOTHING = {
    "--set", "hypersync.log.retain=0s", "--set", "hypersync.log.retain_entries=0"
  };
  private static final int FILES = 300;
  private static final int KILLS = 6;
  private static final long PAUSE_MS = 250;

  @RegisterExtension
  final TestClusterExtension extension = new TestClusterExtension(TestCluster.PATIENT);

  @Test
  void whatSnapshotsHaveTheLogNeedNotHave() throws Exception {
    TestCluster cluster = extension.get();
    Path mount = cluster.mount("a");
    for (int i = 0; i < FILES; i++) {
      Files.writeString(mount.resolve("f" + i), "text " + i);
    }
    cluster.settle("a", "b");
    var _ = cluster.hypersync("snapshot", "create").orFail("snapshot create");
    cluster.worker("b").kill(); // with a snapshot of its own, or with none
    cluster.leader().kill();
    cluster.startLeader(KEEP_NOTHING);
    cluster.awaitWritable("a");
    Files.writeString(mount.resolve("f0"), "changed");
    var _ = cluster.hypersync("snapshot", "create").orFail("snapshot create");
    Await.until("the log is trimmed", () -> firstIndex(cluster) > 1);

    cluster.leader().kill();
    cluster.startLeader(KEEP_NOTHING);
    cluster.awaitWritable("a");
    // killed before the trimmed segment was deleted, it trims once more
    Await.until("the log is trimmed", () -> firstIndex(cluster) > 1);
    Shell diff = cluster.hypersync("diff", "1");
    assertEquals(1, diff.exit(), diff::output);
    assertTrue(diff.output().contains("The oldest state"), diff::output);

    killWhileItInstalls(cluster, "c");
    cluster.startWorker("b");
    for (String worker : new String[] {"b", "c"}) {
      Path other = cluster.mount(worker);
      assertEquals("changed", Files.readString(other.resolve("f0")));
      for (int i = 1; i < FILES; i++) {
        assertEquals("text " + i, Files.readString(other.resolve("f" + i)));
      }
    }
    Files.delete(cluster.mount("c").resolve("f1"));
    Files.writeString(cluster.mount("b").resolve("new"), "from b");
    cluster.settle("a", "b", "c");
    cluster.assertSameRoots("a", "b", "c");
  }

  /** Else two files of one history would be taken for one by whoever compares their numbers. */
  @Test
  void theNumberOfTheInodeThatWasMadeLastIsNotGivenAgain() throws Exception {
    TestCluster cluster = extension.get();
    cluster.leader().kill();
    cluster.startLeader(KEEP_NOTHING);
    cluster.awaitWritable("a");
    Path directory = cluster.mount("a");
    Path last = Files.createFile(directory.resolve("last"));
    long gone = inode(last);
    Files.delete(last);
    Shell.must(directory, "chmod", "0711", "."); // a change that makes no inode
    cluster.settle("a", "b");
    long behind = cluster.leader().status().path("commit_index").asLong();
    cluster.leader().kill();
    cluster.startLeader(KEEP_NOTHING); // which begins another segment of the log
    cluster.awaitWritable("a");
    for (String mode : new String[] {"0700", "0755"}) { // the log goes up to the older of two
      Shell.must(directory, "chmod", mode, ".");
      var _ = cluster.hypersync("snapshot", "create").orFail("snapshot create");
    }
    Await.until("the deletion is trimmed", () -> firstIndex(cluster) >= behind);
    cluster.leader().kill();
    cluster.startLeader(KEEP_NOTHING);
    cluster.startWorker("new");

    Path made = Files.createFile(cluster.mount("new").resolve("made"));

    assertTrue(inode(made) > gone, () -> "after " + gone);
    Await.same("on a", inode(made), () -> inode(cluster.mount("a").resolve("made")));
    cluster.assertSameRoots("a", "b", "new");
  }

  private static long inode(Path path) throws IOException {
    return (Long) Files.getAttribute(path, "unix:ino");
  }

  /** Without a state of its own, each time a little longer: some kills come while it installs. */
  private static void killWhileItInstalls(TestCluster cluster, String name) throws Exception {
    cluster.startWorker(name).kill();
    DurableFiles.deleteTree(cluster.stateDir(name).resolve("snapshots"));
    DurableFiles.deleteTree(cluster.stateDir(name).resolve("chunks"));
    for (int i = 1; i <= KILLS; i++) {
      DaemonJvm worker = cluster.launchWorker(name);
      Await.until("it begins", () -> !worker.log().isEmpty());
      Thread.sleep(PAUSE_MS * i);
      worker.kill();
    }
    cluster.startWorker(name);
  }

  private static long firstIndex(TestCluster cluster) throws Exception {
    return cluster.leader().status().path("log_first_index").asLong();
  }
}
