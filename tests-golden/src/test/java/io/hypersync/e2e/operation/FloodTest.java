package io.hypersync.e2e.operation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.TestCluster;
import io.hypersync.e2e.load.Flood;
import io.hypersync.e2e.load.Latencies;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** One worker floods the leader while another one has a single caller (hypersync.md 12.5). */
@RealMounts
class FloodTest {
  private static final int FLOODERS = 16;
  private static final Duration WINDOW = Duration.ofSeconds(3);

  /**
   * The quiet caller must complete at least this fraction of the calls of one flooding caller. If
   * only the wait for a turn counted, it would complete more than that. But its directories are
   * found by a path, on a mount that applies the flood meanwhile: that takes two kernel requests
   * and the barrier of hypersync.md 6.2, where a write takes one request, and all of it shares the
   * CPUs with the flood.
   */
  private static final double SHARE = 0.25;

  /** Its 99th percentile may be at most this multiple of the flooding callers' one. */
  private static final double TAIL = 4;

  private static final long LIMIT_OPS = 200;
  private static final long BURST_OPS = 20;

  private TestCluster cluster;

  @BeforeEach
  void nothingRuns() throws Exception {
    cluster = TestCluster.create();
  }

  @AfterEach
  void takeItAway() throws Exception {
    cluster.close();
  }

  /**
   * Compares counts and times of the same seconds. How much slower all callers are than alone
   * depends on the machine; that none of them starves is the leader's duty.
   */
  @Test
  void aFloodDoesNotPushOthersAside() throws Exception {
    start();
    Path quiet = Files.createDirectory(cluster.mount("b").resolve("quiet"));
    Latencies alone = makeDirectories(quiet, "alone");
    Latencies beside;
    Latencies flooding;
    try (Flood flood = Flood.prepare(cluster.mount("a"), FLOODERS)) {
      flood.start();
      beside = makeDirectories(quiet, "beside");
      flooding = flood.end();
    }
    String figures = "alone: " + alone + "; beside the flood: " + beside + "; flood: " + flooding;
    System.out.println(figures);
    double fairShare = (double) flooding.calls() / FLOODERS;
    assertTrue(beside.calls() >= SHARE * fairShare, figures);
    assertTrue(beside.percentileMs(99) <= TAIL * flooding.percentileMs(99), figures);
    cluster.assertSameRoots("a", "b");
  }

  @Test
  void aWorkerGetsNoMoreThanItsLimitAndItsCallersOnlyWait() throws Exception {
    start(
        "--set",
        "hypersync.leader.intent_rate_limit_ops=" + LIMIT_OPS,
        "--set",
        "hypersync.leader.intent_burst_ops=" + BURST_OPS);
    int calls;
    double seconds;
    try (Flood flood = Flood.prepare(cluster.mount("a"), FLOODERS)) {
      long beganNs = System.nanoTime();
      flood.start();
      Thread.sleep(WINDOW);
      calls = flood.end().calls();
      seconds = (System.nanoTime() - beganNs) / 1e9;
    }
    String figures = calls + " calls in " + seconds + " s";
    System.out.println("limited flood: " + figures);
    assertTrue(calls <= BURST_OPS + LIMIT_OPS * seconds, figures);
    assertTrue(calls >= LIMIT_OPS * seconds / 2, () -> "what it may have, it gets: " + figures);
    assertTrue(rejections("a") > 0, figures);
    Files.createDirectory(cluster.mount("b").resolve("quiet"));
    assertEquals(0, rejections("b"), "another worker has a limit of its own");
  }

  /** Creates directories one after another for the duration of a window. */
  private static Latencies makeDirectories(Path parent, String prefix) throws Exception {
    List<Long> latenciesNs = new ArrayList<>();
    long endNs = System.nanoTime() + WINDOW.toNanos();
    for (int i = 0; System.nanoTime() - endNs < 0; i++) {
      long beganNs = System.nanoTime();
      Files.createDirectory(parent.resolve(prefix + i));
      latenciesNs.add(System.nanoTime() - beganNs);
    }
    return new Latencies(latenciesNs);
  }

  private void start(String... leaderSettings) throws Exception {
    cluster.startLeader(leaderSettings);
    cluster.launchWorker("a");
    cluster.launchWorker("b");
    cluster.awaitWritable("a");
    cluster.awaitWritable("b");
  }

  private long rejections(String name) {
    for (JsonNode worker : cluster.leader().status().path("workers")) {
      if (worker.path("worker_id").asText().equals(name)) {
        return worker.path("rate_limit_rejections").asLong();
      }
    }
    throw new AssertionError("the leader does not know worker " + name);
  }
}
