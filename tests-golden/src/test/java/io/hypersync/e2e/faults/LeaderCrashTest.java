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

/** The leader is killed while both mounts are written to (hypersync.md 6.4, 8.2, 22.3 item 2). */
@RealMounts
class LeaderCrashTest {
  private static final int ROUNDS = 3;
  private static final int MUTATIONS_BETWEEN = 200;

  /** The default timeout is one second; the rest is for busy machines. */
  private static final long READ_ONLY_LIMIT_MS = 15_000;

  @RegisterExtension
  static final TestClusterExtension CLUSTER = TestClusterExtension.mended(TestCluster.PROMPT);

  @Test
  void whatWasAcknowledgedSurvivesTheLeaderOnce() throws Exception {
    TestCluster cluster = CLUSTER.get();
    List<Path> mounts = List.of(cluster.mount("a"), cluster.mount("b"));
    WriteLoad.prepare(mounts.getFirst());
    Path before = mounts.getFirst().resolve("before");
    awaitOk(() -> Files.writeString(before, "read me"));
    cluster.settle("a", "b");

    WriteLoad load = WriteLoad.start(mounts);
    try (load) {
      for (int round = 1; round <= ROUNDS; round++) {
        load.awaitProgress(MUTATIONS_BETWEEN);
        cluster.leader().kill();
        long killedNs = System.nanoTime();
        for (String worker : List.of("a", "b")) {
          cluster
              .worker(worker)
              .await("be read-only", status -> status.path("read_only").asBoolean());
        }
        long elapsedMs = (System.nanoTime() - killedNs) / 1_000_000;
        assertTrue(elapsedMs < READ_ONLY_LIMIT_MS, "read-only only after " + elapsedMs + " ms");
        for (Path mount : mounts) {
          assertEquals(
              "EROFS", Errnos.of(() -> Files.createFile(mount.resolve("no"))), "create, no leader");
          assertEquals("read me", Files.readString(mount.resolve("before")), "reads go on");
          assertTrue(Directories.names(mount).contains("before"), "listings go on");
        }
        cluster.startLeader();
        cluster.awaitWritable("a");
        cluster.awaitWritable("b");
        System.out.printf("round %d: read-only after %d ms; %s%n", round, elapsedMs, load);
      }
      load.awaitProgress(MUTATIONS_BETWEEN);
    }

    cluster.settle("a", "b");
    for (Path mount : mounts) {
      load.check(mount);
    }
    cluster.assertSameRoots("a", "b");
  }

  @Test
  void aLeaderThatIsStoppedInOrderComesBackAtTheSameRoot() throws Exception {
    TestCluster cluster = CLUSTER.get();
    awaitOk(() -> Files.writeString(cluster.mount("a").resolve("f"), "text"));
    cluster.settle("a", "b");
    String root = cluster.leader().status().path("root").asText();
    long index = cluster.leader().status().path("commit_index").asLong();

    cluster.leader().terminate();
    assertEquals(0, cluster.leader().awaitExit(Await.LIMIT), "exit code after SIGTERM");
    cluster.startLeader();

    assertEquals(root, cluster.leader().status().path("root").asText());
    assertEquals(index, cluster.leader().status().path("commit_index").asLong());
    cluster.awaitWritable("b");
    awaitOk(() -> Files.writeString(cluster.mount("b").resolve("f"), "changed"));
    Await.same("on A", "changed", () -> Files.readString(cluster.mount("a").resolve("f")));
    cluster.assertSameRoots("a", "b");
  }

  /** With the default leader timeout, a busy machine causes EROFS now and then. */
  private static void awaitOk(Errnos.Call call) throws Exception {
    Await.same("how it ends", Errnos.NONE, () -> Errnos.of(call));
  }
}
