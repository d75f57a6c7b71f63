package io.hypersync.e2e.posix;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.SmallDisk;
import io.hypersync.e2e.harness.TestCluster;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What one worker writes is on the others before anybody reads it there: the leader sends it with
 * its entry (hypersync.md 12, decision 033).
 */
@RealMounts
class ChunksSentAheadTest {
  private static final int FILES_OF_A_SIZE = 12;

  /** Those of 4 KiB are in their entries. */
  private static final int[] SIZES = {4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20};

  /** On a busy machine symbols come so late that some chunks are asked for, too: 27 of 264 once. */
  private static final int MOST_ASKED_PERCENT = 50;

  private static final int WARM_UP_ROUNDS = 20;
  private static final int WARM_UP_WRITES = 10;

  private final Random random = new Random(5);

  /** What the leader has sent to b unasked, what b has asked for, and what was read there. */
  private record Counts(long pushed, long asked, long reads, long fetched, long backfilled) {
    static Counts of(TestCluster cluster) throws Exception {
      JsonNode b = cluster.worker("b").status();
      JsonNode sent =
          cluster
              .leader()
              .status()
              .path("workers")
              .valueStream()
              .filter(each -> each.path("worker_id").asText().equals("b"))
              .findFirst()
              .orElseThrow();
      return new Counts(
          sent.path("data_plane").path("chunks_pushed").asLong(-1),
          b.path("data_plane").path("chunks_asked").asLong(-1),
          b.path("kernel_requests").path("read").asLong(),
          b.path("reads_that_fetched").asLong(-1),
          b.path("chunks_backfilled").asLong(-1));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"streams", "datagrams"})
  void readsFetchNothing(String way) throws Exception {
    try (TestCluster cluster = TestCluster.create(TestCluster.PATIENT)) {
      cluster.startLeader("--set", "hypersync.replication.data_plane=" + way);
      cluster.startWorkers("a", "b");
      warmUp(cluster);
      Counts before = Counts.of(cluster);
      Map<String, byte[]> written = new LinkedHashMap<>();
      for (int i = 0; i < FILES_OF_A_SIZE; i++) {
        for (int size : SIZES) {
          written.put(size + "-" + i, write(cluster, size + "-" + i, size));
        }
      }
      cluster.settle("a", "b");
      for (Map.Entry<String, byte[]> file : written.entrySet()) {
        assertArrayEquals(
            file.getValue(), Files.readAllBytes(cluster.mount("b").resolve(file.getKey())));
      }

      Counts now = Counts.of(cluster);
      long reads = now.reads - before.reads;
      long pushed = now.pushed - before.pushed;
      long asked = now.asked - before.asked;
      System.out.printf(
          "%s: %d of %d reads fetched nothing; %d chunks were sent ahead, %d were asked for%n",
          way, reads - now.fetched, reads, pushed, asked);
      assertTrue(reads >= written.size(), () -> "only " + reads + " reads came here");
      assertEquals(0, now.fetched, "reads that fetched");
      assertEquals(0, now.backfilled, "chunks fetched in the background");
      assertTrue(pushed >= (long) FILES_OF_A_SIZE * (SIZES.length - 1), now::toString);
      assertTrue(asked * 100 <= pushed * MOST_ASKED_PERCENT, () -> before + ", then " + now);
    }
  }

  /** Daemons that have just begun are slower than others wait for them. */
  private void warmUp(TestCluster cluster) throws Exception {
    long asked = -1;
    for (int i = 0; i < WARM_UP_ROUNDS && asked != Counts.of(cluster).asked; i++) {
      asked = Counts.of(cluster).asked;
      for (int j = 0; j < WARM_UP_WRITES; j++) {
        byte[] _ = write(cluster, "warm-up-" + i + "-" + j, 64 << 10);
      }
      cluster.settle("a", "b");
    }
  }

  private byte[] write(TestCluster cluster, String name, int size) throws Exception {
    byte[] bytes = new byte[size];
    random.nextBytes(bytes);
    Path file = Files.createFile(cluster.mount("a").resolve(name));
    SmallDisk.writeAtOnce(file, bytes); // not in parts of 8 KiB, which would be in their entries
    return bytes;
  }
}
