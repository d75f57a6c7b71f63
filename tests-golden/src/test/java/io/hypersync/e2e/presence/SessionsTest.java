package io.hypersync.e2e.presence;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.hypersync.cli.config.HostPort;
import io.hypersync.cli.relay.NetworkConditions;
import io.hypersync.cli.relay.NetworkConditions.Direction;
import io.hypersync.cli.relay.UdpRelay;
import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.LongVersion;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.TestCluster;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Workers that lose their connection, with real daemons and mounts. */
@RealMounts
class SessionsTest {
  private static final int CUTS = Integer.getInteger("hypersync.sessions.cuts", 3);

  /**
   * With -Dhypersync.sessions.sleep=true hosts sleep for 60 s and 120 s, and the lease is the real
   * one.
   */
  private static final boolean REAL = Boolean.getBoolean("hypersync.sessions.sleep");

  private TestCluster cluster;

  SessionsTest() throws IOException {
    cluster = TestCluster.create(TestCluster.PROMPT);
  }

  @AfterEach
  void close() throws IOException {
    cluster.close();
  }

  @Test
  @LongVersion
  void aHostThatSleepsWithinItsLeaseIsNotSeenToLeave() throws Exception {
    start(REAL ? "90s" : "20s");
    cluster.worker("b").freeze();
    awaitTransport("b", "offline");
    assertEquals(List.of("a", "b"), peers());
    Thread.sleep(REAL ? 60_000 : 3_000);
    cluster.worker("b").thaw();
    cluster.awaitWritable("b");
    awaitTransport("b", "online");
    assertEquals(List.of("worker_joined a", "worker_joined b"), events());
    assertTrue(events(true).contains("link_resumed b"));
    String told = cluster.hypersync("events", "--all").orFail("events");
    assertTrue(told.contains("link_lost") && told.contains("link_resumed"), told);
    assertEquals(1, counts().path("resume_tokens").path("valid").asInt());
  }

  @Test
  @LongVersion
  void aHostThatSleepsForLongerHasLeftOnceAndJoinsOnce() throws Exception {
    start(REAL ? "90s" : "2s");
    cluster.worker("b").freeze();
    if (REAL) {
      Thread.sleep(85_000);
      assertFalse(events().contains("worker_left b"), "the lease goes on");
    }
    Await.until("b has left", () -> events().contains("worker_left b"));
    assertEquals(List.of("a"), peers());
    Thread.sleep(REAL ? 30_000 : 3_000);
    cluster.worker("b").thaw();
    cluster.awaitWritable("b");
    assertEquals(
        List.of("worker_joined a", "worker_joined b", "worker_left b", "worker_joined b"),
        events());
    JsonNode tokens = counts().path("resume_tokens");
    assertEquals(0, tokens.path("valid").asInt());
    assertEquals(1, tokens.path("stale").asInt() + tokens.path("session_over").asInt());
  }

  /** As when a NAT forgets a flow: no packet passes, and nobody is told. */
  @Test
  @LongVersion
  void aCutIsNotSeenByOthersAndEndsSoon() throws Exception {
    HostPort address = cluster.address();
    try (UdpRelay relay =
        UdpRelay.start(new InetSocketAddress(address.host(), address.port()), 1)) {
      cluster.putLeaderAddress("b", relay.address());
      start("20s");
      long[] tookMs = new long[CUTS];
      for (int i = 0; i < CUTS; i++) {
        relay.become(NetworkConditions.cut(EnumSet.allOf(Direction.class)));
        Thread.sleep(1_000);
        Await.until(
            "b is cut off", () -> cluster.worker("b").status().path("read_only").asBoolean());
        long healedNs = relay.become(NetworkConditions.GOOD);
        awaitAccepted(cluster.mount("b").resolve("after-" + i));
        tookMs[i] = (System.nanoTime() - healedNs) / 1_000_000;
      }
      Arrays.sort(tookMs);
      System.out.println("a mutation succeeds after a cut of 1 s: ms " + Arrays.toString(tookMs));
      assertEquals(List.of("worker_joined a", "worker_joined b"), events());
      assertEquals(0, counts().path("worker_left").asInt());
      assertTrue(counts().path("resume_tokens").path("valid").asInt() >= CUTS);
    }
  }

  @Test
  void whatAHostIsToldWhileItSleepsArrivesOnceAndInOrder() throws Exception {
    start("30s");
    cluster.hypersync("message", "b", "zero").orFail("message");
    Await.until("b is told", () -> told("b").contains("message b zero"));
    cluster.worker("b").freeze();
    awaitTransport("b", "offline");
    for (String text : List.of("one", "two \u001b[31m", "three")) {
      String said = cluster.hypersync("message", "b", text).orFail("message");
      assertTrue(said.contains("is away"), said);
    }
    cluster.startWorker("c");
    assertEquals(4, cluster.leader().status().path("notices").path("waiting").asInt());
    cluster.worker("b").thaw();
    cluster.awaitWritable("b");
    List<String> expected =
        List.of(
            "message b zero",
            "message b one",
            "message b two \\x1b[31m",
            "message b three",
            "worker_joined c");
    Await.until("b is told of c", () -> told("b").contains("worker_joined c"));
    assertEquals(expected, told("b"));
    assertEquals(0, cluster.worker("b").status().path("notices").path("missed").asInt());
    assertEquals(0, cluster.leader().status().path("notices").path("waiting").asInt());
    assertTrue(cluster.worker("b").log().contains("a message from the leader's host: three"));
    assertTrue(cluster.hypersync("message", "nobody", "x").output().contains("is not there"));
  }

  /** What a worker was told, without who has joined before it. */
  private List<String> told(String worker) {
    List<String> told = new ArrayList<>();
    for (JsonNode event :
        cluster
            .worker(worker)
            .ask("events", JsonNodeFactory.instance.objectNode())
            .path("events")) {
      String kind = event.path("kind").asText();
      String text = kind + " " + event.path("worker_id").asText();
      told.add(kind.equals("message") ? text + " " + event.path("reason").asText() : text);
    }
    return told;
  }

  @Test
  void aNewLeaderGoesOnWithTheSessionsIfItKnowsItsKey() throws Exception {
    start("20s");
    Path key = cluster.workspace().stateDir().resolve("resume.key");
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(key)));
    cluster.leader().kill();
    cluster.startLeader("--set", "hypersync.leader.presence_lease=20s");
    cluster.awaitWritable("a");
    cluster.awaitWritable("b");
    assertEquals(List.of(), events());
    assertEquals(2, counts().path("resume_tokens").path("valid").asInt());

    cluster.leader().kill();
    Files.delete(key);
    cluster.startLeader("--set", "hypersync.leader.presence_lease=20s");
    cluster.awaitWritable("a");
    cluster.awaitWritable("b");
    assertEquals(
        List.of("worker_joined a", "worker_joined b"), events().stream().sorted().toList());
    JsonNode tokens = counts().path("resume_tokens");
    assertEquals(0, tokens.path("valid").asInt());
    assertEquals(2, tokens.path("forged").asInt());
    assertTrue(cluster.leader().log().contains("(forged), it begins anew"));
  }

  @Test
  void whoIsStartedAgainHasLeftAndJoins() throws Exception {
    start("20s");
    cluster.worker("b").end(Duration.ofSeconds(30));
    cluster.startWorker("b");
    cluster.awaitWritable("b");
    assertEquals(
        List.of("worker_joined a", "worker_joined b", "worker_left b", "worker_joined b"),
        events());
  }

  private void start(String lease) throws Exception {
    cluster.startLeader("--set", "hypersync.leader.presence_lease=" + lease);
    cluster.startWorker("a");
    cluster.startWorker("b");
    cluster.awaitWritable("a");
    cluster.awaitWritable("b");
  }

  private static void awaitAccepted(Path file) throws InterruptedException {
    Await.until(
        "a mutation is accepted",
        () -> {
          try {
            Files.createFile(file);
            return true;
          } catch (IOException readOnly) {
            return false;
          }
        });
  }

  private JsonNode peers(boolean all) {
    return cluster
        .leader()
        .ask("peers", JsonNodeFactory.instance.objectNode().put("all", all))
        .path("peers");
  }

  private List<String> peers() throws Exception {
    String table = cluster.hypersync("peers").orFail("peers");
    List<String> names = new ArrayList<>();
    for (JsonNode peer : peers(false)) {
      names.add(peer.path("worker_id").asText());
      assertFalse(peer.has("transport"), "only with --all");
      assertTrue(table.contains(peer.path("joined_at").asText()), table);
    }
    return names;
  }

  private void awaitTransport(String worker, String transport) throws InterruptedException {
    Await.until(
        worker + " is " + transport,
        () -> {
          for (JsonNode peer : peers(true)) {
            if (peer.path("worker_id").asText().equals(worker)) {
              return peer.path("transport").asText().equals(transport);
            }
          }
          return false;
        });
  }

  /** What others see. */
  private List<String> events() {
    return events(false);
  }

  private List<String> events(boolean all) {
    List<String> told = new ArrayList<>();
    JsonNode found =
        cluster.leader().ask("events", JsonNodeFactory.instance.objectNode().put("all", all));
    for (JsonNode event : found.path("events")) {
      told.add(event.path("kind").asText() + " " + event.path("worker_id").asText());
    }
    return told;
  }

  private JsonNode counts() {
    return cluster.leader().status().path("presence");
  }
}
