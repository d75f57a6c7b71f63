package io.hypersync.e2e.operation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.ChildJvm;
import io.hypersync.e2e.harness.DaemonJvm;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestCluster;
import io.hypersync.runtime.admin.RunDirectory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Two processes that would lead one workspace; states that are copies, or older than was seen. */
@RealMounts
class LeadershipOnMountsTest {
  /** Of the production value, 5 s, each takeover takes one to three. */
  private static final String REFRESH = "-Dhypersync.leadership.refresh_ms=2000";

  @Test
  void anObserverFollowsALeaderThatIsKilledAndOneThatGivesWay() throws Exception {
    try (TestCluster cluster = workspace()) {
      cluster.startLeader();
      cluster.startWorker("a");
      Path a = cluster.mount("a");
      Files.writeString(a.resolve("before"), "1");
      DaemonJvm second = observer(cluster, "second");
      try {
        awaitObserver(cluster, second);
        assertEquals(cluster.leader().pid(), claimant(cluster));

        long killedNs = System.nanoTime();
        cluster.leader().kill();
        Await.until("the observer leads", () -> claimant(cluster) == second.pid());
        long claimedNs = System.nanoTime();
        Await.until(
            "a call is committed",
            () -> {
              Files.writeString(a.resolve("after"), "2");
              return true;
            });
        System.out.printf(
            "killed leader: claim taken after %d ms, first commit after %d ms%n",
            (claimedNs - killedNs) / 1_000_000, (System.nanoTime() - killedNs) / 1_000_000);
        assertEquals("1", Files.readString(a.resolve("before")));

        DaemonJvm third = observer(cluster, "third");
        try {
          awaitObserver(cluster, third);
          Shell asked = cluster.hypersync("leadership", "claim");
          assertEquals(0, asked.exit(), asked.output());
          Await.until("the one that asked leads", () -> claimant(cluster) == third.pid());
          awaitWritable(cluster);
          Files.writeString(a.resolve("after"), "3");
          assertTrue(second.isAlive(), "it observes");
          awaitObserver(cluster, second);
        } finally {
          third.terminate();
          assertEquals(0, third.awaitExit(Await.LIMIT), () -> "exit code:\n" + third.tail(60));
        }
        Await.until("it leads again", () -> leads(cluster, second));
      } finally {
        second.terminate();
        assertEquals(0, second.awaitExit(Await.LIMIT), () -> "exit code:\n" + second.tail(60));
      }
      assertEquals("free", claims(cluster).path("claims").path(0).path("state").asText());
    }
  }

  /** The state is the stopped one's as long as it lives, so nobody leads beside it. */
  @Test
  void aLeaderThatWasStoppedForLongGivesWayWhenItGoesOn() throws Exception {
    try (TestCluster cluster = workspace()) {
      cluster.startLeader();
      cluster.startWorker("a");
      DaemonJvm second = observer(cluster, "second");
      try {
        awaitObserver(cluster, second);
        cluster.leader().freeze();
        Await.until("its claim is taken", () -> claimant(cluster) != cluster.leader().pid());
        cluster.leader().thaw();
        Await.until("the other one leads", () -> leads(cluster, second));
        awaitWritable(cluster);
        Files.writeString(cluster.mount("a").resolve("after"), "x");
      } finally {
        second.terminate();
        assertEquals(0, second.awaitExit(Await.LIMIT), () -> "exit code:\n" + second.tail(60));
      }
    }
  }

  @Test
  void aClaimFileThatCannotBeUsedMakesNoLeader() throws Exception {
    try (TestCluster cluster = workspace()) {
      Path claim = new RunDirectory(cluster.runDirectory()).claim(cluster.workspace().id());
      Files.createDirectories(claim);
      Shell refused = cluster.hypersync("leader", "--dir", cluster.workspace().root().toString());
      assertEquals(1, refused.exit(), refused.output());
      assertTrue(
          refused.output().contains("the claim file " + claim + " cannot be used"),
          refused.output());
      assertTrue(refused.output().contains("so this one does not"), refused.output());
    }
  }

  @Test
  void aStateThatIsOlderThanWhatAWorkerHasSeenIsNotLed() throws Exception {
    try (TestCluster cluster = workspace()) {
      Path state = cluster.workspace().stateDir();
      Path old = cluster.root().resolve("old");
      cluster.startLeader();
      cluster.startWorker("a");
      Path a = cluster.mount("a");
      Files.writeString(a.resolve("kept"), "1");
      cluster.leader().terminate();
      assertEquals(0, cluster.leader().awaitExit(Await.LIMIT), "exit code after SIGTERM");
      Shell.must(cluster.root(), "cp", "-a", state.toString(), old.toString());
      cluster.startLeader();
      awaitWritable(cluster);
      Files.writeString(a.resolve("newer"), "2");
      cluster.settle("a");
      cluster.worker("a").terminate();
      assertEquals(0, cluster.worker("a").awaitExit(Await.LIMIT), "exit code after SIGTERM");
      cluster.leader().terminate();
      assertEquals(0, cluster.leader().awaitExit(Await.LIMIT), "exit code after SIGTERM");

      Shell copied =
          cluster.hypersync(
              "leader",
              "--dir",
              cluster.workspace().root().toString(),
              "--state-dir",
              old.toString());
      assertEquals(1, copied.exit(), copied.output());
      assertTrue(copied.output().contains("is a copy, or was moved"), copied.output());
      assertTrue(copied.output().contains("--moved"), copied.output());

      Shell.must(cluster.root(), "rm", "-rf", state.toString());
      Shell.must(cluster.root(), "cp", "-a", old.toString(), state.toString());
      // Its snapshots are gone, as on a disk that was set up anew: only what it has seen is left.
      Shell.must(
          cluster.root(), "rm", "-rf", cluster.stateDir("a").resolve("snapshots").toString());
      cluster.startLeader();
      cluster.launchWorker("a");
      assertEquals(1, cluster.leader().awaitExit(Await.LIMIT), "it does not serve");
      assertTrue(
          cluster.logs().contains("this leader's state is older than what workers have seen"),
          cluster.logs());
      assertTrue(cluster.logs().contains("--force-rewind <name>"), cluster.logs());

      cluster.startLeader("--force-rewind", "back on purpose");
      awaitWritable(cluster);
      assertEquals("1", Files.readString(a.resolve("kept")));
      assertTrue(Files.notExists(a.resolve("newer")));
      Files.writeString(a.resolve("on"), "3");
      cluster.leader().terminate();
      assertEquals(0, cluster.leader().awaitExit(Await.LIMIT), "exit code after SIGTERM");
      cluster.startLeader();
      awaitWritable(cluster);
      assertEquals("3", Files.readString(a.resolve("on")));
    }
  }

  /** It comes back without knowing that its state was copied and is led there. */
  @Test
  void aLeaderWhoseStateIsLedElsewhereEndsWhenAWorkerComes() throws Exception {
    try (TestCluster cluster = TestCluster.create()) {
      Path state = cluster.workspace().stateDir();
      Path copy = cluster.root().resolve("copy");
      cluster.startLeader();
      cluster.startWorker("a");
      Path a = cluster.mount("a");
      Files.writeString(a.resolve("both"), "1");
      cluster.leader().terminate();
      assertEquals(0, cluster.leader().awaitExit(Await.LIMIT), "exit code after SIGTERM");
      Shell.must(cluster.root(), "cp", "-a", state.toString(), copy.toString());

      cluster.startLeader("--state-dir", copy.toString(), "--moved");
      awaitWritable(cluster);
      assertEquals(1, cluster.leader().status().path("term").asLong());
      assertEquals(1, cluster.worker("a").status().path("term_seen").asLong());
      Files.writeString(a.resolve("copy only"), "2");
      cluster.settle("a");
      cluster.worker("a").terminate();
      assertEquals(0, cluster.worker("a").awaitExit(Await.LIMIT), "exit code after SIGTERM");
      cluster.leader().kill();

      cluster.startLeader();
      cluster.launchWorker("a");
      assertEquals(1, cluster.leader().awaitExit(Await.LIMIT), "it does not serve");
      assertTrue(
          cluster.logs().contains("another leader has taken this workspace over"), cluster.logs());
      assertTrue(
          cluster.logs().contains("has seen a leader of term 1, this one has term 0"),
          cluster.logs());

      cluster.startLeader("--state-dir", copy.toString());
      awaitWritable(cluster);
      assertEquals(1, cluster.leader().status().path("term").asLong(), "a start is no takeover");
      assertEquals("2", Files.readString(a.resolve("copy only")));
    }
  }

  private static TestCluster workspace() throws Exception {
    TestCluster cluster = TestCluster.create();
    cluster.putJavaOptions("leader", REFRESH);
    return cluster;
  }

  private static DaemonJvm observer(TestCluster cluster, String name) throws Exception {
    RunDirectory run = new RunDirectory(cluster.runDirectory());
    return DaemonJvm.start(
        name,
        cluster.root().resolve("logs").resolve(name + ".log"),
        run.leaderSocket(cluster.workspace().id()),
        List.of(),
        List.of(REFRESH),
        List.of("leader", "--dir", cluster.workspace().root().toString()),
        ChildJvm.environment(cluster.runDirectory()));
  }

  private static JsonNode claims(TestCluster cluster) throws Exception {
    Shell said = cluster.hypersync("leadership", "--json");
    assertEquals(0, said.exit(), said.output());
    return new ObjectMapper().readTree(said.output().substring(said.output().indexOf('{')));
  }

  private static long claimant(TestCluster cluster) throws Exception {
    String text =
        Files.readString(new RunDirectory(cluster.runDirectory()).claim(cluster.workspace().id()));
    return text.lines()
        .filter(line -> line.startsWith("pid: "))
        .mapToLong(line -> Long.parseLong(line.substring("pid: ".length())))
        .findFirst()
        .orElse(0);
  }

  private static void awaitObserver(TestCluster cluster, DaemonJvm observer) throws Exception {
    Await.until(
        "it observes",
        () -> {
          for (JsonNode one : claims(cluster).path("observers")) {
            if (one.path("pid").asLong() == observer.pid()) {
              return true;
            }
          }
          return false;
        });
  }

  private static boolean leads(TestCluster cluster, DaemonJvm daemon) throws Exception {
    return claimant(cluster) == daemon.pid()
        && daemon.status().path("pid").asLong() == daemon.pid();
  }

  private static void awaitWritable(TestCluster cluster) throws Exception {
    cluster
        .worker("a")
        .await(
            "be writable",
            status ->
                status.path("connected").asBoolean() && !status.path("read_only").asBoolean());
  }
}
