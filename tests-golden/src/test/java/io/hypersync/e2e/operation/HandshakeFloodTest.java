package io.hypersync.e2e.operation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.hypersync.cli.flood.HandshakeFlood;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.TestCluster;
import io.hypersync.e2e.harness.TestClusterExtension;
import io.hypersync.wire.admission.HandshakeLimits;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Unauthenticated peers send the leader copies of first packets, and garbage, while workers are in
 * use.
 */
@RealMounts
class HandshakeFloodTest {
  private static final int PER_SECOND = 5_000;

  /** The flood ends after this many packets and directories. */
  private static final long PACKETS = 15_000;

  private static final int DIRECTORIES = 50;

  @RegisterExtension
  final TestClusterExtension extension = new TestClusterExtension(TestCluster.PATIENT);

  @TempDir Path dir;

  @ParameterizedTest
  @EnumSource
  void workersDoNotNoticeAndTheLeaderBeginsNoMoreThanItsShare(HandshakeFlood.Kind kind)
      throws Exception {
    TestCluster cluster = extension.get();
    List<byte[]> packets = HandshakeFlood.record(dir.resolve("nobody"));
    Path folder = Files.createDirectory(cluster.mount("a").resolve("during"));
    JsonNode before = handshakes(cluster);
    String sessions = sessions(cluster);
    long beganNs = System.nanoTime();
    long sent;
    int made = 0;
    try (HandshakeFlood flood =
        HandshakeFlood.start(kind, packets, cluster.address().port(), PER_SECOND)) {
      while (flood.sent() < PACKETS || made < DIRECTORIES) {
        Files.createDirectory(folder.resolve("d" + made));
        made++;
        assertFalse(
            cluster.worker("a").status().path("read_only").asBoolean(), "the mount is read-only");
      }
      sent = flood.sent();
    }
    JsonNode after = handshakes(cluster);
    double seconds = (System.nanoTime() - beganNs) / 1e9;
    String figures =
        "%d packets in %.1f s, %d directories; %s".formatted(sent, seconds, made, after);
    System.out.println(figures);

    // No packet returns with an address token, so every handshake that begins is unproven.
    HandshakeLimits limits = HandshakeLimits.defaults();
    long begun = grown(before, after, "begun");
    assertTrue(
        begun <= limits.unprovenBurst() + (seconds + 1) * limits.unprovenPerSecond(), figures);
    assertTrue(begun > 0, figures);
    assertTrue(grown(before, after, "asked") > 0, figures);
    assertTrue(grown(before, after, "stray") > 0, figures);
    assertEquals(0, grown(before, after, "opened"), figures);

    assertEquals(sessions, sessions(cluster), "somebody has lost its connection");
    cluster.settle("a", "b");
    assertTrue(Files.isDirectory(cluster.mount("b").resolve("during/d" + (made - 1))));
    cluster.assertSameRoots("a", "b");
    cluster.leader().awaitSaying("unauthenticated peers at the port");
    double minutes = (System.nanoTime() - beganNs) / 60e9;
    assertTrue(
        lines(cluster, "unauthenticated peers at the port") <= 1 + minutes, cluster.leader()::log);
  }

  private static JsonNode handshakes(TestCluster cluster) {
    return cluster.leader().status().path("handshakes");
  }

  private static long grown(JsonNode before, JsonNode after, String key) {
    return after.path(key).asLong() - before.path(key).asLong();
  }

  /** The workers with the ports they connect from; a reconnect would change them. */
  private static String sessions(TestCluster cluster) {
    StringBuilder text = new StringBuilder();
    for (JsonNode worker : cluster.leader().status().path("workers")) {
      text.append(worker.path("worker_id").asText())
          .append(" at ")
          .append(worker.path("address").asText())
          .append('\n');
    }
    return text.toString();
  }

  private static long lines(TestCluster cluster, String text) {
    return cluster.leader().log().lines().filter(line -> line.contains(text)).count();
  }
}
