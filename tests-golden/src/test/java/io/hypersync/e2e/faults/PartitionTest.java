package io.hypersync.e2e.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.Directories;
import io.hypersync.e2e.harness.Errnos;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.TestCluster;
import io.hypersync.e2e.harness.TestClusterExtension;
import io.hypersync.e2e.load.WriteLoad;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A daemon is silent for a while and then continues (hypersync.md 6.4, 22.3 item 3). */
@RealMounts
class PartitionTest {
  private static final int MUTATIONS = 100;

  @RegisterExtension
  static final TestClusterExtension CLUSTER =
      TestClusterExtension.mended(
          List.of("hypersync.worker.leader_timeout=1s", "hypersync.worker.mutation_deadline=3s"));

  @Test
  void aSilentLeaderMakesMountsReadOnlyAndCallsEndInTime() throws Exception {
    TestCluster cluster = CLUSTER.get();
    List<Path> mounts = List.of(cluster.mount("a"), cluster.mount("b"));
    WriteLoad.prepare(mounts.getFirst());
    cluster.settle("a", "b");
    WriteLoad load = WriteLoad.start(mounts);
    try (load) {
      load.awaitProgress(MUTATIONS);
      cluster.leader().freeze();
      try {
        for (String worker : List.of("a", "b")) {
          cluster
              .worker(worker)
              .await("be read-only", status -> status.path("read_only").asBoolean());
          cluster
              .worker(worker)
              .await(
                  "answer what was under way, at the deadline",
                  status -> status.path("pending_mutations").asInt() == 0);
        }
        for (Path mount : mounts) {
          assertEquals("EROFS", Errnos.of(() -> Files.createFile(mount.resolve("no"))));
          assertTrue(Directories.names(mount).contains("journal"), "reads go on");
        }
        int refused = load.refused();
        Await.until("mutations are refused", () -> load.refused() > refused);
      } finally {
        cluster.leader().thaw();
      }
      cluster.awaitWritable("a");
      cluster.awaitWritable("b");
      load.awaitProgress(MUTATIONS);
    }
    cluster.settle("a", "b");
    for (Path mount : mounts) {
      load.check(mount);
    }
    cluster.assertSameRoots("a", "b");
  }

  @Test
  void aSilentWorkerHoldsNobodyUpAndCatchesUp() throws Exception {
    TestCluster cluster = CLUSTER.get();
    List<Path> mounts = List.of(cluster.mount("a"), cluster.mount("b"));
    WriteLoad.prepare(mounts.getFirst());
    cluster.settle("a", "b");
    WriteLoad load = WriteLoad.start(mounts);
    try (load) {
      load.awaitProgress(MUTATIONS);
      cluster.worker("b").freeze();
      try {
        load.awaitProgress(MUTATIONS);
        cluster
            .leader()
            .await(
                "give the silent worker up",
                status ->
                    status
                        .path("workers")
                        .valueStream()
                        .noneMatch(worker -> worker.path("worker_id").asText().equals("b")));
        load.awaitProgress(MUTATIONS);
      } finally {
        cluster.worker("b").thaw();
      }
      cluster.awaitWritable("b");
      load.awaitProgress(MUTATIONS);
    }
    cluster.settle("a", "b");
    for (Path mount : mounts) {
      load.check(mount);
    }
    cluster.assertSameRoots("a", "b");
  }
}
