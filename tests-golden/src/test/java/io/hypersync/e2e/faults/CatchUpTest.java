package io.hypersync.e2e.faults;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.TestCluster;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * A worker with an empty chunk store catches up with a workspace whose chunks exceed the direct
 * memory of both worker and leader: no buffer may grow with the amount of data sent.
 */
@RealMounts
class CatchUpTest {
  /** For leader and worker; the launcher gives them 64 MiB. */
  private static final String DIRECT_MEMORY = "-XX:MaxDirectMemorySize=32m";

  /**
   * Written by one write(2), which is one entry; too large for an inline payload, so chunks are
   * sent separately.
   */
  private static final int FILE_BYTES = 1 << 20;

  /** At the leader's default chunk size. */
  private static final int CHUNKS_PER_FILE = 16;

  private static final int FILES = Integer.getInteger("hypersync.catchup.files", 96);
  private static final long SEED = Long.getLong("hypersync.seed", System.nanoTime());
  private static final int LOOKED_AT = 8;

  /** Part of the log line for a connection that ended because a daemon was starved of CPU time. */
  private static final String SILENCE = "nothing was heard from it for";

  @Test
  void chunksOfThreeTimesTheDirectMemoryComeInOneConnection() throws Exception {
    System.out.println("catch up: -Dhypersync.seed=" + SEED);
    try (TestCluster cluster = TestCluster.create()) {
      cluster.putJavaOptions("leader", DIRECT_MEMORY);
      cluster.putJavaOptions("late", DIRECT_MEMORY);
      cluster.startLeader();
      cluster.startWorker("a");
      for (int i = 0; i < FILES; i++) {
        write(cluster.mount("a").resolve("f" + i), content(i));
      }
      cluster.worker("a").end(Await.LIMIT);
      JsonNode before = cluster.leader().status();
      assertTrue(before.path("commit_index").asLong() < 4L * FILES + 16, before::toPrettyString);
      // The chunk count in the status is approximate.
      long least = 125L * CHUNKS_PER_FILE * FILES / 128;
      assertTrue(before.path("chunks").asLong() >= least, before::toPrettyString);

      cluster.startWorker("late");
      cluster.settle("late");

      long sessions =
          cluster.leader().status().path("workers_greeted").asLong()
              - before.path("workers_greeted").asLong();
      assertEquals(1, sessions - silences(cluster), cluster::logs);
      for (String daemon : List.of("leader", "late")) {
        assertFalse(cluster.daemon(daemon).log().contains("stream failed"), cluster::logs);
      }
      cluster.assertSameRoots("late");
      for (int i = 0; i < FILES; i += Math.max(1, FILES / LOOKED_AT)) {
        Path file = cluster.mount("late").resolve("f" + i);
        assertArrayEquals(content(i), Files.readAllBytes(file), file::toString);
      }
    }
  }

  /** How often the late worker had to reconnect because a daemon was starved of CPU time. */
  private static long silences(TestCluster cluster) {
    long here = cluster.daemon("late").log().lines().filter(line -> line.contains(SILENCE)).count();
    long there =
        cluster
            .leader()
            .log()
            .lines()
            .filter(line -> line.contains("worker late left") && line.contains(SILENCE))
            .count();
    return Math.max(here, there);
  }

  private static void write(Path file, byte[] content) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      assertEquals(content.length, channel.write(ByteBuffer.wrap(content)), "in one write(2)");
    }
  }

  private static byte[] content(int file) {
    byte[] bytes = new byte[FILE_BYTES];
    new Random(SEED + file).nextBytes(bytes);
    return bytes;
  }
}
