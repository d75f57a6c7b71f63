package io.hypersync.e2e.faults;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.Errnos;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.SmallDisk;
import io.hypersync.e2e.harness.TestCluster;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * A user who fills the leader's disk by rewriting one file has little in it that is needed. So room
 * comes back without anybody's help, by snapshots and collections (hypersync.md 14.2).
 */
@RealMounts
class RewrittenToFullTest {
  /** So much is free before the first rewrite: the chunk store's reserve, and some data. */
  private static final long FREE_BYTES = (128L + 48) << 20;

  /** Less than a quarter of that reserve. */
  private static final long LEAST_BYTES = 16L << 20;

  /** More than fits. */
  private static final int REWRITES = 200;

  /** The file that takes the rest. */
  private static final String MORE = "more";

  private static final int FILE_BYTES = 1 << 20;
  private static final int SEGMENT_BYTES = 4 << 20;

  /** Nothing is kept for workers that are away. */
  private static final String[] SETTINGS = {
    "--set", "hypersync.snapshots.interval=5s",
    "--set", "hypersync.snapshots.retain=4",
    "--set", "hypersync.gc.interval=2s",
    "--set", "hypersync.gc.replay_entries=0"
  };

  private final Random random = new Random(11);
  private byte[] acknowledged = {};

  @Test
  void roomComesBackByItself() throws Exception {
    try (TestCluster cluster = TestCluster.create()) {
      try {
        SmallDisk disk = SmallDisk.of(cluster, "leader", SmallDisk.LEADER_MIB);
        cluster.putJavaOptions("leader", "-Dhypersync.chunks.segment_bytes=" + SEGMENT_BYTES);
        cluster.startLeader(SETTINGS);
        cluster.startWorkers("a", "b");
        filledAndGoesOn(cluster, disk);
      } catch (Exception | Error failure) {
        System.err.println(cluster.logs());
        System.err.println(cluster.leader().status());
        throw failure;
      }
    }
  }

  private void filledAndGoesOn(TestCluster cluster, SmallDisk disk) throws Exception {
    Path a = cluster.mount("a");
    Path b = cluster.mount("b");
    byte[] early = data();
    Files.write(a.resolve("early"), early);
    Files.writeString(a.resolve("removed"), "is removed");
    Files.write(a.resolve("truncated"), data());
    Files.createFile(a.resolve("f"));
    cluster.settle("a", "b");
    var _ = cluster.hypersync("snapshot", "create").orFail("snapshot create");
    var _ = disk.leave(FREE_BYTES, "ballast");

    assertFills(a);
    assertArrayEquals(acknowledged, Files.readAllBytes(a.resolve("f")), "nothing of it is there");
    assertFills(b);
    assertSnapshotRefused(cluster, disk);
    JsonNode failed = cluster.leader().await("say it", now -> !failure(now).isNull());
    assertTrue(failure(failed).asText().contains("bytes are free"), failed::toString);
    Files.delete(b.resolve("removed"));
    try (FileChannel file = FileChannel.open(b.resolve("truncated"), StandardOpenOption.WRITE)) {
      file.truncate(3);
    }

    disk.giveBack(MORE); // the disk is as full as the user has made it
    awaitRoom(b);
    var _ = cluster.leader().await("take a snapshot", now -> failure(now).isNull());
    for (int i = 0; i < REWRITES / 4; i++) { // it goes on so: as much again as was free
      awaitRoom(a);
    }

    cluster.settle("a", "b");
    cluster.leader().kill();
    cluster.startLeader(SETTINGS);
    cluster.awaitWritable("a");
    cluster.awaitWritable("b");
    for (Path mount : new Path[] {a, b}) {
      assertArrayEquals(acknowledged, Files.readAllBytes(mount.resolve("f")));
      assertArrayEquals(early, Files.readAllBytes(mount.resolve("early")));
      assertFalse(Files.exists(mount.resolve("removed")));
      assertEquals(3, Files.size(mount.resolve("truncated")));
    }
    cluster.assertSameRoots("a", "b");
    String newest = cluster.leader().status().path("snapshots").path("newest_index").asText();
    var _ = cluster.hypersync("snapshot", "verify", newest).orFail("snapshot verify");
  }

  /** A collection may give room back at any moment, so it can take more than one rewrite. */
  private void assertFills(Path mount) throws Exception {
    String errno = Errnos.NONE;
    for (int i = 0; i < REWRITES && errno.equals(Errnos.NONE); i++) {
      errno = rewrite(mount.resolve("f"));
    }
    assertEquals("ENOSPC", errno, "the disk is full");
  }

  /**
   * With less room than a snapshot needs there is none. What a collection gives back in between is
   * taken again.
   */
  private static void assertSnapshotRefused(TestCluster cluster, SmallDisk disk) throws Exception {
    long deadline = System.nanoTime() + Await.LIMIT.toNanos();
    Shell answer = createWithLeast(cluster, disk);
    while (answer.exit() == 0 && System.nanoTime() < deadline) {
      answer = createWithLeast(cluster, disk);
    }
    assertEquals(1, answer.exit(), answer::output);
    assertTrue(answer.output().contains("bytes are free"), answer::output);
  }

  private static Shell createWithLeast(TestCluster cluster, SmallDisk disk) throws Exception {
    disk.leaveAtMost(LEAST_BYTES, MORE);
    return cluster.hypersync("snapshot", "create");
  }

  private void awaitRoom(Path mount) throws Exception {
    long deadline = System.nanoTime() + Await.LIMIT.toNanos();
    String errno = rewrite(mount.resolve("f"));
    while (!errno.equals(Errnos.NONE) && System.nanoTime() < deadline) {
      Thread.sleep(500); // as a person would: what is refused is stored in part, and kept a minute
      errno = rewrite(mount.resolve("f"));
    }
    assertEquals(Errnos.NONE, errno, "room comes back");
  }

  private static JsonNode failure(JsonNode status) {
    return status.path("snapshots").path("last_failure");
  }

  private String rewrite(Path file) throws Exception {
    byte[] bytes = data();
    String errno = Errnos.of(() -> SmallDisk.writeAtOnce(file, bytes));
    if (errno.equals(Errnos.NONE)) {
      acknowledged = bytes;
    }
    return errno;
  }

  private byte[] data() {
    byte[] bytes = new byte[FILE_BYTES];
    random.nextBytes(bytes);
    return bytes;
  }
}
