package io.hypersync.e2e.operation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.TestCluster;
import io.hypersync.e2e.harness.TestClusterExtension;
import io.hypersync.runtime.file.DurableFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A worker that starts far behind gets the leader's snapshot instead of the log (13.2). */
@RealMounts
class WorkerInstallTest {
  private static final String INSTALLS = "the leader offers its snapshot of entry";
  private static final String FETCHED = "all pages are here, ";

  @RegisterExtension
  final TestClusterExtension extension = new TestClusterExtension(TestCluster.PATIENT);

  @Test
  void aNewWorkerInstallsTheSnapshotAndReadsWhatIsBehindItToo() throws Exception {
    TestCluster cluster = extension.get();
    Path mount = cluster.mount("a");
    Files.createDirectory(mount.resolve("d"));
    byte[] large = new byte[100_000];
    for (int i = 0; i < 300; i++) {
      Files.writeString(mount.resolve("d/f" + i), "text " + i);
    }
    Files.write(mount.resolve("large"), large);
    cluster.settle("a", "b");
    var _ = cluster.hypersync("snapshot", "create").orFail("snapshot create");
    cluster.leader().kill();
    cluster.startLeader("--set", "hypersync.snapshots.catchup_log_threshold_entries=50");
    cluster.awaitWritable("a");
    Files.writeString(mount.resolve("d/f7"), "changed");
    Files.delete(mount.resolve("d/f8"));

    cluster.startWorker("c");

    assertTrue(cluster.worker("c").log().contains(INSTALLS), cluster.worker("c")::log);
    Path other = cluster.mount("c");
    assertEquals("changed", Files.readString(other.resolve("d/f7")));
    assertEquals("text 9", Files.readString(other.resolve("d/f9")));
    assertFalse(Files.exists(other.resolve("d/f8")));
    assertEquals(large.length, Files.readAllBytes(other.resolve("large")).length);
    Files.writeString(other.resolve("d/new"), "from c");
    Await.same("on a", "from c", () -> Files.readString(mount.resolve("d/new")));
    cluster.settle("a", "c");
    cluster.assertSameRoots("a", "c");

    cluster.worker("c").await("have all pages", status -> status.path("install").isNull());
    cluster.worker("c").kill();
    DurableFiles.deleteTree(cluster.stateDir("c").resolve("snapshots"));
    cluster.startWorker("c");
    cluster.worker("c").await("have all pages", status -> status.path("install").isNull());
    assertTrue(cluster.worker("c").log().contains(FETCHED + "0 "), cluster.worker("c")::log);
    assertEquals("changed", Files.readString(other.resolve("d/f7")));
    cluster.settle("a", "c");
    cluster.assertSameRoots("a", "c");
  }
}
