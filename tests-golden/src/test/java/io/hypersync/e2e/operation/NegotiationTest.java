package io.hypersync.e2e.operation;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
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
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Workers use the parameters that their leader has configured (hypersync.md 9.1, 9.2, 9.5). */
@RealMounts
class NegotiationTest {
  private static final int[] LENGTHS = {1, 4_095, 4_096, 8_193, 65_536, 65_537, 300_000};
  private static final int XATTR_BYTES = 64 * 1024;

  private final Random random = new Random(24);

  /** The same workers under one leader after another, with the data they have written before. */
  @Test
  void whateverTheLeaderWantsItsWorkersDo() throws Exception {
    try (TestCluster cluster = TestCluster.create()) {
      startLeader(cluster, "0B", "4KiB");
      cluster.startWorkers("a", "b");
      writeAndRead(cluster, "small");
      assertNegotiated(cluster.worker("a").status(), 0, 4_096);
      long chunks = cluster.leader().status().path("chunks").asLong();
      int least = 300_000 / 4_096;
      assertTrue(chunks > least, () -> "cut into pages: " + chunks);

      cluster.leader().terminate();
      assertEquals(0, cluster.leader().awaitExit(Await.LIMIT), "exit code after SIGTERM");
      startLeader(cluster, "64KiB", "64KiB");
      cluster.awaitWritable("a");
      cluster.awaitWritable("b");
      writeAndRead(cluster, "large");
      assertNegotiated(cluster.worker("b").status(), 65_536, 65_536);
      cluster.assertSameRoots("a", "b");

      JsonNode pressure = cluster.leader().status().path("workers").path(0).path("local_pressure");
      int disk = pressure.path("disk_percent").asInt(-1);
      assertTrue(disk >= 0 && disk <= 100, pressure::toString);
    }
  }

  private static void startLeader(TestCluster cluster, String inline, String chunk)
      throws Exception {
    cluster.startLeader(
        "--set",
        "hypersync.leader.inline_threshold=" + inline,
        "--set",
        "hypersync.leader.chunk_max=" + chunk,
        "--set",
        "hypersync.leader.batch_window=1ms");
  }

  private void writeAndRead(TestCluster cluster, String name) throws Exception {
    for (int length : LENGTHS) {
      byte[] content = new byte[length];
      random.nextBytes(content);
      Path written = cluster.mount("a").resolve(name + length);
      write(written, content);
      byte[] value = new byte[Math.min(length, XATTR_BYTES)];
      random.nextBytes(value);
      Files.setAttribute(written, "user:x", value);
      cluster.settle("b");
      Path read = cluster.mount("b").resolve(name + length);
      assertArrayEquals(content, Files.readAllBytes(read), () -> name + length);
      assertArrayEquals(value, (byte[]) Files.getAttribute(read, "user:x"), () -> name + length);
    }
  }

  /**
   * Writes by one write(2): {@link Files#write} splits into 8 KiB, which never gives a chunk of the
   * largest size.
   */
  private static void write(Path file, byte[] content) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      assertEquals(content.length, channel.write(ByteBuffer.wrap(content)), "in one write(2)");
    }
  }

  private static void assertNegotiated(JsonNode worker, int inline, int chunk) {
    JsonNode negotiated = worker.path("negotiated");
    assertEquals(inline, negotiated.path("inline_threshold").asInt(), worker::toString);
    assertEquals(chunk, negotiated.path("chunk_max").asInt(), worker::toString);
    assertEquals(0, negotiated.path("batch_window_ms").asInt(-1), worker::toString);
    assertEquals(
        "[\"quic_datagram\",\"raptorq\",\"past_states\",\"kept_payloads\"]",
        negotiated.path("features").toString(),
        worker::toString);
  }
}
