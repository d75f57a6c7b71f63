package io.hypersync.e2e.locks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestCluster;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Locks when their holder's worker or the leader dies (hypersync.md 10.2). */
@RealMounts
class LockCrashTest {
  private TestCluster cluster;

  @BeforeEach
  void nothingRuns() throws Exception {
    cluster = TestCluster.create(List.of("hypersync.worker.leader_timeout=5s"));
  }

  @AfterEach
  void takeItAway() throws Exception {
    cluster.close();
  }

  @Test
  void theLocksOfAKilledWorkerAreFreeWhenTheirLeaseAndGraceAreOver() throws Exception {
    start("--set", "hypersync.leader.lock_ttl=2s", "--set", "hypersync.leader.lock_grace=1s");
    try (LockHolder _ = LockHolder.start(file("b")).awaitLocked();
        LockHolder waiter = LockHolder.start(file("a"))) {
      Thread.sleep(4_000); // longer than lease and grace: it is renewed
      assertFalse(waiter.isLocked());
      long killedNs = System.nanoTime();
      cluster.worker("b").kill();
      waiter.awaitLocked();
      long tookMs = (System.nanoTime() - killedNs) / 1_000_000;
      // The last renewal was at most a third of the lease earlier.
      assertTrue(tookMs > 2_000, "free after " + tookMs + " ms");
      assertEquals(1, leaderLocks("expired"));
    }
  }

  @Test
  void theLocksOfAWorkerThatStartsAgainAreFreeAtOnce() throws Exception {
    start("--set", "hypersync.leader.lock_ttl=30m");
    try (LockHolder _ = LockHolder.start(file("b")).awaitLocked();
        LockHolder waiter = LockHolder.start(file("a"))) {
      Await.until("A waits", () -> leaderLocks("waiting") == 1);
      cluster.worker("b").kill();
      Shell.must(cluster.root(), "umount", "-l", cluster.mount("b").toString());
      assertFalse(waiter.isLocked());
      cluster.startWorker("b");
      waiter.awaitLocked();
      assertEquals(1, leaderLocks("reclaimed"));
    }
  }

  @Test
  void anotherRunOfTheLeaderKnowsOfNoLocksAndIsAskedAgain() throws Exception {
    start();
    try (LockHolder _ = LockHolder.start(file("b")).awaitLocked();
        LockHolder waiter = LockHolder.start(file("a"))) {
      Await.until("A waits", () -> leaderLocks("waiting") == 1);
      cluster.leader().kill();
      cluster.startLeader();
      waiter.awaitLocked();
      cluster
          .worker("b")
          .await("say that it lost its lock", status -> status.path("locks_lost").asInt() == 1);
    }
  }

  private void start(String... leaderSettings) throws Exception {
    cluster.startLeader(leaderSettings);
    cluster.startWorkers("a", "b");
  }

  private int leaderLocks(String key) {
    return cluster.leader().status().path("locks").path(key).asInt();
  }

  private Path file(String worker) throws Exception {
    Path made = cluster.mount("a").resolve("lock");
    if (!Files.exists(made)) {
      Files.createFile(made);
    }
    Path file = cluster.mount(worker).resolve("lock");
    Await.until(file + " is there", () -> Files.exists(file));
    return file;
  }
}
