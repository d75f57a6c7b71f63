package io.hypersync.e2e.operation;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.hypersync.cli.config.HostPort;
import io.hypersync.e2e.harness.Alone;
import io.hypersync.e2e.harness.LocalNetwork;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.TestCluster;
import io.hypersync.raptorq.OctetRows;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * Chunks go to all workers of a network at once (hypersync.md 12.2): a leader and three workers,
 * each in a namespace of its own, behind a switch that loses packets.
 *
 * <p>{@code -Dhypersync.multicast.readers=7 -Dhypersync.multicast.rate=2MiB
 * -Dhypersync.multicast.pause=400} measures with eight workers: the switch, which sends each packet
 * to each of them, takes no more, and the writer has to stay below it.
 */
@Alone
@RealMounts
@TestMethodOrder(OrderAnnotation.class)
class MulticastTest {
  private static final int LEADER = 1;
  private static final int A = 2;
  private static final int B = 3;
  private static final int C = 4;
  private static final int PORT = 7_890;

  /** Those that do not write: b, c, and as many more as are wished for a measurement. */
  private static final List<String> READERS =
      IntStream.range(0, Integer.getInteger("hypersync.multicast.readers", 2))
          .mapToObj(i -> Character.toString('b' + i))
          .toList();

  /** What the switch can take. */
  private static final String RATE = System.getProperty("hypersync.multicast.rate", "8MiB");

  private static final int MIB = 1 << 20;

  /** How long the writer rests after each 256 KiB. */
  private static final int PAUSE_MS = Integer.getInteger("hypersync.multicast.pause", 0);

  /** Frames of the switch have headers, chunks have repair symbols for 5 % losses. */
  private static final double MOST_PER_BYTE = 1.5;

  /** While a reader counts as hearing nothing, chunks go to each alone. */
  private static final double NOT_TO_ALL = Double.MAX_VALUE;

  /** Vectors are slow in a JVM that compiles as little as one of a test. */
  private static final String QUICKLY_WARM = "-D" + OctetRows.FORCE_SCALAR + "=true";

  private static LocalNetwork network;
  private static TestCluster cluster;
  private static final Random RANDOM = new Random(12);

  @BeforeAll
  static void start() throws Exception {
    network = LocalNetwork.start(A + READERS.size());
    try {
      cluster = TestCluster.create();
      cluster.putStarter("leader", network.on(LEADER));
      cluster.putJavaOptions("leader", QUICKLY_WARM);
      cluster.startLeader(
          "--set",
          "hypersync.replication.data_plane=multicast",
          "--set",
          "hypersync.replication.multicast_rate=" + RATE,
          "--set",
          "hypersync.leader.bind_address=" + LocalNetwork.address(LEADER) + ":" + PORT);
      join("a", A);
      for (String reader : READERS) {
        join(reader, B + READERS.indexOf(reader));
      }
      cluster.awaitWritable("a");
      for (String reader : READERS) {
        cluster.awaitWritable(reader);
        awaitMulticast(reader);
      }
    } catch (Exception | Error e) {
      stop();
      throw e;
    }
  }

  private static void join(String worker, int machine) throws Exception {
    cluster.putStarter(worker, network.on(machine));
    cluster.putJavaOptions(worker, QUICKLY_WARM);
    cluster.putLeaderAddress(worker, new HostPort(LocalNetwork.address(LEADER), PORT));
    cluster.launchWorker(worker);
  }

  @AfterAll
  static void stop() throws Exception {
    try {
      if (cluster != null) {
        cluster.close();
      }
    } finally {
      if (network != null) {
        network.close();
      }
    }
  }

  @Test
  @Order(1)
  void aChunkIsSentOnceForAll() throws Exception {
    network.lose(B, 0.05);
    writeAndCompare("warm-up", 4 * MIB); // until the losses are measured
    double perByte = sentPerByte("once");
    for (int again = 0; again < 5 && perByte > MOST_PER_BYTE; again++) {
      perByte = sentPerByte("again" + again); // readers on a busy machine are late, and ask
    }
    double least = perByte;
    assertTrue(
        least < MOST_PER_BYTE,
        () ->
            least
                + " bytes left the leader for each written one; b: "
                + plane("b")
                + ", c: "
                + plane("c"));
    JsonNode status = cluster.leader().status().path("multicast");
    assertTrue(status.path("bytes").asLong() > 12 * MIB, status::toString);
    assertEquals("multicast", plane("b").path("delivery").asText());
    assertTrue(plane("b").path("reason").asText().startsWith("hears "), () -> "" + plane("b"));
  }

  private static double sentPerByte(String name) throws Exception {
    for (String reader : READERS) {
      awaitMulticast(reader);
    }
    JsonNode before = network.figures();
    writeAndCompare(name, 8 * MIB);
    JsonNode after = network.figures();
    double all = difference(before, after, "multicast_bytes");
    long alone =
        after.path("unicast_bytes_from").path(0).asLong()
            - before.path("unicast_bytes_from").path(0).asLong();
    System.out.printf(
        "%.2f bytes to all and %.2f to single workers for each written one%n",
        all / (8 * MIB), (double) alone / (8 * MIB));
    return all < 8 * MIB ? NOT_TO_ALL : (all + alone) / (8 * MIB);
  }

  @Test
  @Order(2)
  void whoHearsNothingGetsItInAnotherWay() throws Exception {
    network.lose(C, 1);
    awaitNoMulticast("c");
    String reason = plane("c").path("reason").asText();
    assertTrue(reason.startsWith("has heard no multicast packet for "), reason);
    JsonNode before = network.figures();
    writeAndCompare("deaf", 4 * MIB);
    JsonNode after = network.figures();
    assertTrue(
        difference(before, after, "multicast_bytes") > 4 * MIB,
        () -> "b hears still: " + plane("b"));
    assertTrue(
        cluster.hypersync("status").output().contains("c: has heard no multicast packet for "));
  }

  @Test
  @Order(3)
  void strangersAreCountedAndChangeNothing() throws Exception {
    JsonNode before = cluster.worker("b").status().path("multicast");
    for (String kind : new String[] {"noise", "epoch", "forged", "replayed"}) {
      network.strangers(kind, 200);
    }
    cluster
        .worker("b")
        .await(
            "count strangers' packets",
            status ->
                grown(before, status, "packets_rejected") >= 600
                    // what b had lost is no repetition
                    && grown(before, status, "packets_replayed") >= 100);
    writeAndCompare("strangers", 2 * MIB);
    assertEquals("multicast", plane("b").path("delivery").asText());
    JsonNode b = cluster.worker("b").status();
    assertEquals(0, b.path("data_plane").path("chunks_not_decoded").asLong(), b::toString);
    assertTrue(b.path("multicast").path("joined").asBoolean());
  }

  /** More than anybody can look at: the group is left, and chunks come in another way. */
  @Test
  @Order(4)
  void aFloodIsLeftAlone() throws Exception {
    for (int i = 0; i < 20 && floods("b") == 0; i++) {
      network.flood(B, 30_000);
    }
    cluster.worker("b").await("leave the group", status -> floods(status) == 1);
    awaitNoMulticast("b");
    writeAndCompare("flood", 2 * MIB);
    cluster.assertSameRoots("a", "b", "c");
  }

  private static long floods(String worker) {
    return floods(cluster.worker(worker).status());
  }

  private static long floods(JsonNode status) {
    return status.path("multicast").path("floods").asLong();
  }

  private static long grown(JsonNode before, JsonNode status, String key) {
    return status.path("multicast").path(key).asLong() - before.path(key).asLong();
  }

  private static void writeAndCompare(String name, int bytes) throws Exception {
    byte[] content = new byte[bytes];
    RANDOM.nextBytes(content);
    ByteBuffer rest = ByteBuffer.wrap(content);
    try (FileChannel file =
        FileChannel.open(
            cluster.mount("a").resolve(name),
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE)) {
      while (rest.hasRemaining()) { // small writes would be in the log
        int end = rest.limit();
        rest.limit(Math.min(end, rest.position() + (PAUSE_MS == 0 ? bytes : MIB / 4)));
        var _ = file.write(rest);
        rest.limit(end);
        Thread.sleep(PAUSE_MS);
      }
    }
    cluster.settle(READERS.toArray(new String[0]));
    for (String reader : READERS) {
      Path read = cluster.mount(reader).resolve(name);
      assertArrayEquals(content, Files.readAllBytes(read), () -> name + " on " + reader);
    }
  }

  private static long difference(JsonNode before, JsonNode after, String key) {
    return after.path(key).asLong() - before.path(key).asLong();
  }

  private static JsonNode plane(String worker) {
    return plane(cluster.leader().status(), worker);
  }

  private static JsonNode plane(JsonNode leader, String worker) {
    for (JsonNode each : leader.path("workers")) {
      if (each.path("worker_id").asText().equals(worker)) {
        return each.path("data_plane");
      }
    }
    return leader.path("none");
  }

  private static void awaitMulticast(String worker) throws InterruptedException {
    cluster.leader().await("see that " + worker + " hears", status -> isMulticast(status, worker));
  }

  private static void awaitNoMulticast(String worker) throws InterruptedException {
    cluster
        .leader()
        .await("see that " + worker + " hears nothing", status -> !isMulticast(status, worker));
  }

  private static boolean isMulticast(JsonNode leader, String worker) {
    return plane(leader, worker).path("delivery").asText().equals("multicast");
  }
}
