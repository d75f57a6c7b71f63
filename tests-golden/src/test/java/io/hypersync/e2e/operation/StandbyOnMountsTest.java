package io.hypersync.e2e.operation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.DaemonJvm;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestCluster;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A standby follows a leader on real mounts, and its state is led when that one is gone. */
@RealMounts
class StandbyOnMountsTest {
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

  private static Shell promote(TestCluster cluster, String... more) throws Exception {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "promote",
                "--json",
                "--dir",
                cluster.workspace().root().toString(),
                "--state-dir",
                cluster.stateDir("spare").toString()));
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
