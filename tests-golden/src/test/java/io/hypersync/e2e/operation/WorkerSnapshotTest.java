package io.hypersync.e2e.operation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.TestCluster;
import io.hypersync.e2e.harness.TestClusterExtension;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A worker starts from a snapshot of its own, and replays only what is behind it. */
@RealMounts
class WorkerSnapshotTest {
  private static final List<String> SETTINGS =
      Stream.concat(TestCluster.PATIENT.stream(), Stream.of("hypersync.snapshots.interval=1s"))
          .toList();

  private static final String STARTS = "starting from the snapshot of entry";

  @RegisterExtension final TestClusterExtension extension = new TestClusterExtension(SETTINGS);

  @Test
  void aWorkerThatIsKilledStartsFromItsSnapshotAndWhatIsBehindIt() throws Exception {
    TestCluster cluster = extension.get();
    Path mount = cluster.mount("a");
    Files.createDirectory(mount.resolve("d"));
    for (int i = 0; i < 200; i++) {
      Files.writeString(mount.resolve("d/f" + i), "text " + i);
    }
    long written = cluster.leader().status().path("commit_index").asLong();
    cluster.worker("b").await("snapshot", status -> newestSnapshot(status) >= written);

    cluster.worker("b").kill();
    Files.writeString(mount.resolve("d/f7"), "changed");
    Files.delete(mount.resolve("d/f8"));
    cluster.startWorker("b");

    cluster.awaitWritable("b");
    assertTrue(cluster.worker("b").log().contains(STARTS), cluster.worker("b")::log);
    Path other = cluster.mount("b");
    Await.same("on b", "changed", () -> Files.readString(other.resolve("d/f7")));
    assertEquals("text 9", Files.readString(other.resolve("d/f9")));
    Await.same("on b", false, () -> Files.exists(other.resolve("d/f8")));
    Files.writeString(other.resolve("d/new"), "from b");
    Await.same("on a", "from b", () -> Files.readString(mount.resolve("d/new")));
    cluster.settle("a", "b");
    cluster.assertSameRoots("a", "b");
  }

  @Test
  void aWorkerThatIsStoppedInOrderTakesALastSnapshot() throws Exception {
    TestCluster cluster = extension.get();
    Files.writeString(cluster.mount("a").resolve("f"), "text");
    cluster.settle("a", "b");
    long applied = cluster.worker("b").status().path("applied_index").asLong();
    cluster.worker("b").terminate();
    assertEquals(0, cluster.worker("b").awaitExit(Await.LIMIT), "exit code after SIGTERM");
    cluster.startWorker("b");
    cluster.awaitWritable("b");
    assertTrue(cluster.worker("b").log().contains(STARTS), cluster.worker("b")::log);
    assertTrue(newestSnapshot(cluster.worker("b").status()) >= applied);
    assertEquals("text", Files.readString(cluster.mount("b").resolve("f")));
  }

  private static long newestSnapshot(JsonNode status) {
    return status.path("snapshots").path("newest_index").asLong();
  }
}
