package io.hypersync.e2e.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.Directories;
import io.hypersync.e2e.harness.Errnos;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.SmallDisk;
import io.hypersync.e2e.harness.TestCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Disks that become full, and then have room again (hypersync.md 6.4.1). */
@RealMounts
class DiskFullTest {
  private static final long SEED = 7;

  private static final int WORKER_DISK_MIB = 300;

  /** Less than the chunk store's reserve. */
  private static final long LEFT_BYTES = 64L << 20;

  private final Random random = new Random(SEED);

  @Test
  void aFullLeaderTurnsMutationsAwayWholeAndGoesOnWhenThereIsRoom() throws Exception {
    try (TestCluster cluster = TestCluster.create()) {
      try {
        SmallDisk disk = SmallDisk.of(cluster, "leader", SmallDisk.LEADER_MIB);
        cluster.startLeader();
        cluster.startWorkers("a", "b");
        fullLeader(cluster, disk);
      } catch (Exception | Error failure) {
        System.err.println(cluster.logs());
        throw failure;
      }
    }
  }

  private void fullLeader(TestCluster cluster, SmallDisk disk) throws Exception {
    Path a = cluster.mount("a");
    Path b = cluster.mount("b");
    byte[] early = data();
    Files.write(a.resolve("early"), early);
    var _ = disk.leave(LEFT_BYTES, "ballast");
    byte[] refused = data();
    List<String> made = new ArrayList<>(List.of("early"));
    for (Path mount : List.of(a, b)) {
      String name = "from-" + mount.getFileName();
      Files.createFile(mount.resolve(name));
      made.add(name);
      assertEquals("ENOSPC", Errnos.of(() -> SmallDisk.writeAtOnce(mount.resolve(name), refused)));
      assertEquals(0, Files.size(mount.resolve(name)), "nothing of it is there");
    }

    Path ballast = disk.leave(0, "ballast");
    for (int i = 0; i < 20; i++) {
      Path folder = (i % 2 == 0 ? a : b).resolve("d" + i);
      String errno = Errnos.of(() -> Files.createDirectory(folder));
      assertTrue(Set.of(Errnos.NONE, "ENOSPC").contains(errno), () -> "mkdir ended with " + errno);
      assertEquals(errno.equals(Errnos.NONE), Files.exists(folder), "whether it is there");
      if (errno.equals(Errnos.NONE)) {
        made.add("d" + i);
      }
    }
    assertEquals("ENOSPC", Errnos.of(() -> SmallDisk.writeAtOnce(b.resolve("from-b"), refused)));
    assertTrue(cluster.leader().isAlive(), "the leader lives");
    cluster.assertSameRoots("a", "b");
    assertEquals(-1, mismatch(b.resolve("early"), early), "what was there before");

    Files.delete(ballast);
    Await.same(
        "once there is room",
        "OK",
        () -> Errnos.of(() -> SmallDisk.writeAtOnce(b.resolve("from-b"), refused)));
    Await.same(
        "once there is room",
        "OK",
        () -> Errnos.of(() -> SmallDisk.writeAtOnce(a.resolve("from-a"), refused)));
    cluster.settle("a", "b");
    for (Path mount : List.of(a, b)) {
      assertEquals(made.stream().sorted().toList(), Directories.names(mount));
      assertEquals(-1, mismatch(mount.resolve("from-a"), refused), "written on A");
      assertEquals(-1, mismatch(mount.resolve("from-b"), refused), "written on B");
    }
    cluster.assertSameRoots("a", "b");

    cluster.leader().kill();
    cluster.startLeader();
    cluster.awaitWritable("a");
    cluster.awaitWritable("b");
    cluster.assertSameRoots("a", "b");
  }

  @Test
  void aFullWorkerStopsWhereItIsAndHurtsNobody() throws Exception {
    try (TestCluster cluster = TestCluster.create()) {
      try {
        SmallDisk disk = SmallDisk.of(cluster, "a", WORKER_DISK_MIB);
        cluster.startLeader();
        cluster.startWorkers("a", "b");
        fullWorker(cluster, disk);
      } catch (Exception | Error failure) {
        System.err.println(cluster.logs());
        throw failure;
      }
    }
  }

  private void fullWorker(TestCluster cluster, SmallDisk disk) throws Exception {
    Path a = cluster.mount("a");
    Path b = cluster.mount("b");
    Files.writeString(b.resolve("early"), "read me");
    Files.createFile(a.resolve("mine"));
    cluster.settle("a", "b");
    Path ballast = disk.leave(LEFT_BYTES, "ballast");

    assertEquals(
        "ENOSPC",
        Errnos.of(() -> SmallDisk.writeAtOnce(a.resolve("mine"), data())),
        "its own write");
    assertEquals(0, Files.size(a.resolve("mine")), "nothing of it is there");
    Files.createFile(b.resolve("theirs"));
    Await.until("what needs no space is applied still", () -> Files.exists(a.resolve("theirs")));

    byte[] theirs = data();
    SmallDisk.writeAtOnce(b.resolve("theirs"), theirs);
    JsonNode stopped =
        cluster.worker("a").await("stop applying", status -> !status.path("apply_error").isNull());
    assertEquals("ENOSPC", stopped.path("apply_error").path("errno").asText());
    assertEquals(
        stopped.path("applied_index").asLong() + 1,
        stopped.path("apply_error").path("log_index").asLong(),
        "it stands before the entry that it could not apply: " + stopped);
    assertTrue(stopped.path("read_only").asBoolean(), "its mount is read-only");
    assertEquals("EROFS", Errnos.of(() -> Files.createFile(a.resolve("no"))));
    assertEquals("read me", Files.readString(a.resolve("early")), "its reads go on");
    cluster
        .leader()
        .await(
            "know of it",
            status ->
                status
                    .path("workers")
                    .valueStream()
                    .anyMatch(
                        worker ->
                            worker.path("worker_id").asText().equals("a")
                                && worker
                                    .path("apply_error")
                                    .path("errno")
                                    .asText()
                                    .equals("ENOSPC")));
    Files.writeString(b.resolve("more"), "unharmed");
    cluster.assertSameRoots("b");

    Files.delete(ballast);
    cluster.awaitWritable("a");
    cluster.settle("a");
    assertEquals(-1, mismatch(a.resolve("theirs"), theirs), "it goes on by itself");
    cluster.worker("a").terminate();
    assertEquals(0, cluster.worker("a").awaitExit(Await.LIMIT), "exit code after SIGTERM");
    cluster.startWorker("a");
    assertEquals(-1, mismatch(a.resolve("theirs"), theirs), "caught up");
    SmallDisk.writeAtOnce(a.resolve("mine"), theirs);
    cluster.assertSameRoots("a", "b");
  }

  private byte[] data() {
    byte[] bytes = new byte[1 << 20];
    random.nextBytes(bytes);
    return bytes;
  }

  private static int mismatch(Path path, byte[] expected) throws IOException {
    return java.util.Arrays.mismatch(expected, Files.readAllBytes(path));
  }
}
