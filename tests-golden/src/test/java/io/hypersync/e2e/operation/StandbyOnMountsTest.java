package io.hypersync.e2e.operation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.DaemonJvm;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A standby follows a leader on real mounts, and its state is led when that one is gone. */
@RealMounts
class StandbyOnMountsTest {
  private static final List<String> WRITERS = List.of("a", "b");

  /** How often a leader that waits for its standby is killed; docs/testing.md. */
  private static final int ROUNDS = Integer.getInteger("hypersync.sync_standby.rounds", 2);

  /** So many files are written, by all writers, before each kill. */
  private static final int FEWEST = 60;

  /** Durable calls that are measured in each turn; 0 for none. */
  private static final int CALLS = Integer.getInteger("hypersync.sync_standby.calls", 0);

  @Test
  void whenTheLeaderIsKilledItsStandbyIsLedAndMountsGoOn() throws Exception {
    try (TestCluster cluster = TestCluster.create(TestCluster.PROMPT)) {
      cluster.startLeader();
      cluster.startWorker("a");
      Path a = cluster.mount("a");
      write(a, "before", 40); // what it has to catch up with
      DaemonJvm standby = cluster.startStandby("spare");
      awaitComplete(cluster, standby);
      Path open = a.resolve("open");
      try (var kept = Files.newOutputStream(open)) {
        write(a, "while", 40);
        Files.writeString(a.resolve("before-3"), "another content");
        Files.delete(a.resolve("before-4"));
        kept.write(1);
        awaitSynced(cluster, standby);
        JsonNode seen = worker(cluster.leader().status(), "spare").path("standby");
        assertTrue(seen.path("complete").asBoolean(), seen::toString);
        assertFalse(
            worker(cluster.leader().status(), "spare")
                .path("placement")
                .path("stable")
                .asBoolean(true),
            "no agents are placed on it");
        assertTrue(cluster.hypersync("status").output().contains("spare"), () -> "it is in status");

        cluster.leader().kill();
        standby.kill(); // the host of neither comes back in order
        Shell promoted = promote(cluster);
        assertEquals(0, promoted.exit(), promoted.output());
        long killedNs = System.nanoTime();
        cluster.startLeader("--state-dir", cluster.stateDir("spare").toString());
        cluster.awaitWritable("a");
        kept.write(2);
        System.out.printf(
            "first write after the promotion: %d ms%n", (System.nanoTime() - killedNs) / 1_000_000);
      }
      assertEquals(1, cluster.leader().status().path("term").asLong());
      assertEquals(1, cluster.worker("a").status().path("term_seen").asLong());
      assertEquals(List.of((byte) 1, (byte) 2), bytes(open));
      read(a, "while", 40);
      assertEquals("another content", Files.readString(a.resolve("before-3")));
      assertTrue(Files.notExists(a.resolve("before-4")));
      write(a, "after", 10);
      cluster.startWorker("b");
      read(cluster.mount("b"), "while", 40);
      read(cluster.mount("b"), "after", 10);
      cluster.assertSameRoots("a", "b");

      // The old one comes back, and knows nothing.
      cluster.leader().terminate();
      assertEquals(0, cluster.leader().awaitExit(Await.LIMIT), "exit code after SIGTERM");
      cluster.launchLeader();
      assertEquals(1, cluster.leader().awaitExit(Await.LIMIT), "it does not serve");
      assertTrue(
          cluster.logs().contains("another leader has taken this workspace over"), cluster.logs());

      // It remembers that, and its state becomes that of a standby of the one that leads.
      cluster.launchLeader();
      assertEquals(1, cluster.leader().awaitExit(Await.LIMIT), "nor does it the next time");
      assertTrue(cluster.logs().contains("is not led any more"), cluster.logs());
      cluster.startLeader("--state-dir", cluster.stateDir("spare").toString());
      cluster.awaitWritable("a");
      cluster.putState("old", cluster.workspace().stateDir());
      DaemonJvm old = cluster.startStandby("old");
      old.await("be complete", status -> status.path("complete").asBoolean());
      write(a, "later", 10);
      long committed = cluster.leader().status().path("commit_index").asLong();
      JsonNode has =
          old.await("have all", status -> status.path("synced_index").asLong() >= committed);
      old.await("have compared the two", status -> !status.path("rejoining").asBoolean(true));
      assertEquals(0, has.path("left_behind").size(), "its successor had all that it had");
    }
  }

  @Test
  void aStandbyThatIsKilledCatchesUpAndIsNotLedAsItIs() throws Exception {
    try (TestCluster cluster = TestCluster.create()) {
      cluster.startLeader();
      cluster.startWorker("a");
      Path a = cluster.mount("a");
      Shell early = promote(cluster);
      assertEquals(1, early.exit(), early.output());
      DaemonJvm standby = cluster.startStandby("spare");
      for (int round = 0; round < 3; round++) {
        write(a, "round-" + round, 30);
        standby.kill();
        write(a, "gap-" + round, 30);
        standby = cluster.startStandby("spare");
      }
      awaitComplete(cluster, standby);
      awaitSynced(cluster, standby);
      Shell running = promote(cluster);
      assertEquals(1, running.exit(), running.output());
      assertTrue(running.output().contains("is in use by"), running.output());
      standby.terminate();
      assertEquals(0, standby.awaitExit(Await.LIMIT), "exit code after SIGTERM");
      Shell led =
          cluster.hypersync(
              "leader",
              "--dir",
              cluster.workspace().root().toString(),
              "--state-dir",
              cluster.stateDir("spare").toString());
      assertEquals(1, led.exit(), led.output());
      String said = promote(cluster, "--dry-run").output();
      JsonNode possible = new ObjectMapper().readTree(said.substring(said.indexOf('{')));
      JsonNode leader = cluster.leader().status();
      assertEquals(leader.path("commit_index").asLong(), possible.path("index").asLong());
      assertEquals(leader.path("root").asText(), possible.path("root").asText());
      assertFalse(possible.path("promoted").asBoolean());
    }
  }

  /**
   * Leader and standby are killed while two mounts write, the standby is promoted, and the next one
   * follows it: what any call was told is there, on both mounts.
   */
  @Test
  void nothingThatWasAcknowledgedIsLostWithASynchronousStandby() throws Exception {
    try (TestCluster cluster = TestCluster.create(TestCluster.PROMPT);
        ExecutorService threads = Executors.newFixedThreadPool(WRITERS.size())) {
      cluster.startLeader(waitingFor("spare-0", "block"));
      DaemonJvm standby = cluster.startStandby("spare-0");
      for (String mount : WRITERS) {
        cluster.startWorker(mount);
      }
      for (int round = 0; round < ROUNDS; round++) {
        String name = "spare-" + round;
        awaitState(cluster, name, "synchronous");
        AtomicBoolean isOver = new AtomicBoolean();
        AtomicInteger written = new AtomicInteger();
        List<Future<List<String>>> acknowledged = new ArrayList<>();
        for (String mount : WRITERS) {
          String prefix = mount + "-" + round + "-";
          acknowledged.add(
              threads.submit(() -> writeUntil(isOver, written, cluster.mount(mount), prefix)));
        }
        Await.until("files are written", () -> written.get() >= FEWEST);
        cluster.leader().kill();
        standby.kill();
        isOver.set(true);
        Shell promoted = promoteAs(cluster, name);
        assertEquals(0, promoted.exit(), promoted.output());
        assertTrue(promoted.output().contains("\"loss\" : \"none\""), promoted.output());
        String next = "spare-" + (round + 1);
        cluster.startLeader(
            Stream.concat(
                    Stream.of(waitingFor(next, "block")),
                    Stream.of("--state-dir", cluster.stateDir(name).toString()))
                .toArray(String[]::new));
        standby = cluster.startStandby(next);
        for (String mount : WRITERS) {
          cluster.awaitWritable(mount);
        }
        int count = 0;
        for (Future<List<String>> of : acknowledged) {
          for (String file : of.get()) {
            for (String mount : WRITERS) {
              assertEquals(file.repeat(50), Files.readString(cluster.mount(mount).resolve(file)));
            }
            count++;
          }
        }
        System.out.printf("round %d: %d acknowledged files are there%n", round, count);
        assertTrue(count >= FEWEST, "the writers were acknowledged " + count);
      }
      cluster.assertSameRoots(WRITERS.toArray(String[]::new));
    }
  }

  @Test
  void withoutItsStandbyALeaderGoesOnAloneAndSaysSoOrWaits() throws Exception {
    try (TestCluster cluster = TestCluster.create(TestCluster.PROMPT)) {
      cluster.startLeader(waitingFor("spare", "alone"));
      DaemonJvm standby = cluster.startStandby("spare");
      awaitState(cluster, "spare", "synchronous");
      cluster.startWorker("a");
      Path a = cluster.mount("a");
      write(a, "both", 5);
      standby.await("know it", status -> status.path("synchronous").asBoolean());
      standby.kill();
      write(a, "alone", 5); // waits until the leader gives the standby up
      JsonNode alone = waited(cluster, "spare");
      assertEquals("alone", alone.path("state").asText());
      assertTrue(alone.path("alone_after").asLong() > 0, alone::toString);
      assertTrue(
          cluster.hypersync("status").output().contains("LEFT BEHIND"),
          () -> "people are told: " + cluster.logs());
      assertTrue(cluster.leader().log().contains("goes on without standby spare"));
      Shell refused = promoteAs(cluster, "spare");
      assertEquals(1, refused.exit(), refused.output());
      assertTrue(refused.output().contains("--accept-loss"), refused.output());

      standby = cluster.startStandby("spare");
      awaitState(cluster, "spare", "synchronous");
      write(a, "again", 5);
      standby.await("know it", status -> status.path("synchronous").asBoolean());

      // A start in which nobody knows what the standby has shows nothing before it is back.
      standby.terminate();
      assertEquals(0, standby.awaitExit(Await.LIMIT), "exit code after SIGTERM");
      cluster.leader().kill();
      cluster.startLeader(waitingFor("spare", "block"));
      JsonNode status = cluster.leader().status();
      assertTrue(status.path("sync_standby").path("holds_start").asBoolean(), status::toString);
      Thread.sleep(3_000); // the worker tries to join meanwhile
      assertFalse(
          worker(cluster.leader().status(), "a").path("connected").asBoolean(),
          "no worker is welcome");
      var _ = cluster.startStandby("spare");
      cluster.awaitWritable("a");
      write(a, "last", 5);
      read(a, "again", 5);
    }
  }

  /** Both are on one disk here, so that both would read and write at once. */
  @Test
  void aLeaderAndItsStandbyTakeSnapshotsByTurns() throws Exception {
    try (TestCluster cluster = TestCluster.create(TestCluster.PROMPT)) {
      String[] turns = {
        "--set",
        "hypersync.snapshots.interval=1s",
        "--set",
        "hypersync.background.store=file:" + cluster.root().resolve("lease")
      };
      cluster.startLeader(withHolder(turns, "main"));
      DaemonJvm standby = cluster.startStandby("spare", withHolder(turns, "other"));
      awaitComplete(cluster, standby);
      cluster.startWorker("a");
      AtomicInteger written = new AtomicInteger();
      for (DaemonJvm each : List.of(cluster.leader(), standby)) {
        Await.until(
            "it has taken a snapshot in a turn of its own: " + each.tail(30),
            () -> {
              write(cluster.mount("a"), "n" + written.incrementAndGet() + "-", 1);
              int acquired = each.log().indexOf(" acquired: holder ");
              return acquired >= 0
                  && each.log().indexOf("snapshot of entry", acquired) >= 0
                  && each.log().indexOf(" released: holder ", acquired) >= 0;
            });
      }
      JsonNode background = cluster.leader().status().path("background");
      assertTrue(background.path("revision").asLong() > 0, background::toString);
      assertTrue(background.path("problem").isNull(), background::toString);
      assertTrue(standby.status().path("background").has("holder"), standby.status()::toString);
    }
  }

  private static String[] withHolder(String[] settings, String name) {
    return Stream.concat(
            Stream.of(settings), Stream.of("--set", "hypersync.background.holder=" + name))
        .toArray(String[]::new);
  }

  /** Figures, not a judgement: how long a durable call takes with and without it, in turns. */
  @Test
  void howLongACommitTakesWithASynchronousStandby() throws Exception {
    assumeTrue(CALLS > 0, "-Dhypersync.sync_standby.calls=500");
    List<Long> without = new ArrayList<>();
    List<Long> with = new ArrayList<>();
    try (TestCluster cluster = TestCluster.create(TestCluster.PROMPT)) {
      cluster.startLeader();
      var _ = cluster.startStandby("spare");
      cluster.startWorker("a");
      for (int turn = 0; turn < 3; turn++) {
        restart(cluster, "hypersync.leader.sync_standby=0");
        without.addAll(durableCallsUs(cluster.mount("a").resolve("without-" + turn)));
        restart(cluster, "hypersync.leader.sync_standby=1", "hypersync.leader.standbys=spare");
        awaitState(cluster, "spare", "synchronous");
        with.addAll(durableCallsUs(cluster.mount("a").resolve("with-" + turn)));
      }
    }
    System.out.printf(
        "commit of 100 bytes, 1 caller, us: p50 %d without, %d with, ratio %.2f; p99 %d, %d%n",
        percentile(without, 50),
        percentile(with, 50),
        (double) percentile(with, 50) / percentile(without, 50),
        percentile(without, 99),
        percentile(with, 99));
  }

  private static void restart(TestCluster cluster, String... settings) throws Exception {
    cluster.leader().terminate();
    assertEquals(0, cluster.leader().awaitExit(Await.LIMIT), "exit code after SIGTERM");
    List<String> arguments = new ArrayList<>();
    for (String setting : settings) {
      arguments.addAll(List.of("--set", setting));
    }
    cluster.startLeader(arguments.toArray(String[]::new));
    cluster.awaitWritable("a");
  }

  private static List<Long> durableCallsUs(Path file) throws IOException {
    List<Long> us = new ArrayList<>();
    byte[] bytes = new byte[100];
    try (var out = Files.newOutputStream(file)) {
      for (int i = 0; i < 2 * CALLS; i++) {
        long begunNs = System.nanoTime();
        out.write(bytes);
        if (i >= CALLS) { // the first half is for the JVMs
          us.add((System.nanoTime() - begunNs) / 1_000);
        }
      }
    }
    return us;
  }

  private static long percentile(List<Long> all, int percent) {
    List<Long> sorted = all.stream().sorted().toList();
    return sorted.get(Math.min(sorted.size() - 1, sorted.size() * percent / 100));
  }

  private static List<String> writeUntil(
      AtomicBoolean isOver, AtomicInteger written, Path mount, String prefix) {
    List<String> acknowledged = new ArrayList<>();
    for (int i = 0; !isOver.get(); i++) {
      String file = prefix + i;
      try {
        Files.writeString(mount.resolve(file), file.repeat(50));
        acknowledged.add(file);
        written.incrementAndGet();
      } catch (IOException e) {
        return acknowledged; // nobody was told anything of this one
      }
    }
    return acknowledged;
  }

  private static String[] waitingFor(String standby, String degrade) {
    return new String[] {
      "--set",
      "hypersync.leader.sync_standby=1",
      "--set",
      "hypersync.leader.standbys=" + standby,
      "--set",
      "hypersync.leader.degrade=" + degrade,
      "--set",
      "hypersync.leader.degrade_after=2s"
    };
  }

  private static JsonNode waited(TestCluster cluster, String name) {
    for (JsonNode each : cluster.leader().status().path("sync_standby").path("standbys")) {
      if (each.path("worker_id").asText().equals(name)) {
        return each;
      }
    }
    throw new AssertionError(name + " is not waited for");
  }

  private static void awaitState(TestCluster cluster, String name, String state) throws Exception {
    cluster
        .leader()
        .await(
            "see that " + name + " is " + state,
            _ -> waited(cluster, name).path("state").asText().equals(state));
  }

  private static Shell promote(TestCluster cluster, String... more) throws Exception {
    return promoteAs(cluster, "spare", more);
  }

  private static Shell promoteAs(TestCluster cluster, String name, String... more)
      throws Exception {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "promote",
                "--json",
                "--dir",
                cluster.workspace().root().toString(),
                "--state-dir",
                cluster.stateDir(name).toString()));
    arguments.addAll(List.of(more));
    return cluster.hypersync(arguments);
  }

  private static void write(Path mount, String name, int files) throws Exception {
    for (int i = 0; i < files; i++) {
      Files.writeString(mount.resolve(name + "-" + i), (name + i).repeat(1 + 400 * i));
    }
  }

  private static void read(Path mount, String name, int files) throws Exception {
    for (int i = 0; i < files; i++) {
      assertEquals(
          (name + i).repeat(1 + 400 * i), Files.readString(mount.resolve(name + "-" + i)), name);
    }
  }

  private static List<Byte> bytes(Path file) throws Exception {
    List<Byte> all = new ArrayList<>();
    for (byte one : Files.readAllBytes(file)) {
      all.add(one);
    }
    return all;
  }

  private static void awaitComplete(TestCluster cluster, DaemonJvm standby) throws Exception {
    standby.await("be complete", status -> status.path("complete").asBoolean());
    assertEquals("standby", standby.status().path("role").asText());
    awaitSynced(cluster, standby);
  }

  private static void awaitSynced(TestCluster cluster, DaemonJvm standby) throws Exception {
    long committed = cluster.leader().status().path("commit_index").asLong();
    standby.await(
        "have entry " + committed + " on its disk",
        status -> status.path("synced_index").asLong() >= committed);
    cluster
        .leader()
        .await(
            "know that",
            status ->
                worker(status, "spare").path("standby").path("synced_index").asLong() >= committed);
  }

  private static JsonNode worker(JsonNode leader, String name) {
    for (JsonNode one : leader.path("workers")) {
      if (one.path("worker_id").asText().equals(name)) {
        return one;
      }
    }
    return leader.path("none");
  }
}
