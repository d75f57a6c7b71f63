package io.hypersync.e2e.operation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.DaemonJvm;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.TestCluster;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * The metrics of real daemons: a leader, a worker with a mount, and a standby (hypersync.md 16).
 */
@RealMounts
class MetricsOnMountsTest {
  private static final Pattern ROW =
      Pattern.compile("\\| `(hypersync_(leader|worker|standby)_[a-z0-9_]+)` \\|.*");
  private static final int FILES = 30;
  private static final int SCRAPES = 200;
  private static final String STANDBY_LAG =
      "hypersync_leader_worker_standby_lag_entries{worker=\"spare\"}";
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  /**
   * What has no value here: nothing was restored, scrubbed, collected or mailed, nobody is absent,
   * no other network is there, no limit is set.
   */
  private static final List<String> ABSENT =
      List.of(
          "hypersync_leader_reservations_age_seconds",
          "hypersync_leader_mail",
          "hypersync_leader_workers_absent",
          "hypersync_leader_restore_actions",
          "hypersync_leader_collection_",
          "hypersync_leader_scrub_",
          "hypersync_leader_multicast_",
          "hypersync_leader_snapshot_",
          "hypersync_leader_worker_apply_error_index",
          "hypersync_leader_worker_catch_up_",
          "hypersync_leader_worker_sync_lag_seconds",
          "hypersync_leader_worker_commit_rtt_seconds",
          "hypersync_worker_snapshot_",
          "hypersync_worker_chunk_cache_bytes",
          "hypersync_worker_chunk_cache_limit_bytes",
          "hypersync_worker_catch_up_",
          "hypersync_worker_inotify_");

  @Test
  void eachMetricOfThePageIsShownAndPrometheusTakesThem() throws Exception {
    List<String> shows = List.of("--set", TestCluster.METRICS);
    try (TestCluster cluster =
        TestCluster.create(List.of("hypersync.worker.leader_timeout=15s", TestCluster.METRICS))) {
      cluster.startLeader(shows.toArray(String[]::new));
      cluster.startWorker("a");
      DaemonJvm standby = cluster.startStandby("spare", shows.toArray(String[]::new));
      Path mount = cluster.mount("a");
      for (int i = 0; i < FILES; i++) {
        Files.writeString(mount.resolve("file-" + i), "content " + i);
      }
      Await.until("the standby's report", () -> metrics(cluster.leader()).containsKey(STANDBY_LAG));
      Map<String, Double> leader = metrics(cluster.leader());
      Map<String, Double> worker = metrics(cluster.worker("a"));
      Map<String, Double> spare = metrics(standby);

      Await.same(
          "the commit index",
          cluster.leader().status().path("commit_index").asDouble(),
          () -> metrics(cluster.leader()).get("hypersync_leader_commit_index"));
      assertTrue(leader.get("hypersync_leader_commit_seconds_count") > 0, leader::toString);
      assertTrue(
          worker.get("hypersync_worker_stage_seconds_count{stage=\"total\"}") >= 2 * FILES,
          worker::toString);
      assertEquals(1, worker.get("hypersync_worker_connected"));
      assertEquals(1, spare.get("hypersync_worker_connected"));

      for (String line : Files.readAllLines(page())) {
        Matcher row = ROW.matcher(line);
        if (row.matches() && ABSENT.stream().noneMatch(row.group(1)::startsWith)) {
          Map<String, Double> shown =
              switch (row.group(2)) {
                case "leader" -> leader;
                case "worker" -> worker;
                case "standby" -> spare;
                default -> throw new AssertionError(line);
              };
          assertTrue(
              shown.keySet().stream().anyMatch(name -> isOf(name, row.group(1))),
              () -> row.group(1) + " is not among\n" + String.join("\n", shown.keySet()));
        }
      }
      for (DaemonJvm each : List.of(cluster.leader(), cluster.worker("a"), standby)) {
        assertEquals("", promtool(scrape(each)));
      }
      measure(cluster.leader());
    }
  }

  private static boolean isOf(String sample, String name) {
    return sample.startsWith(name)
        && (sample.length() == name.length()
            || sample.charAt(name.length()) == '{'
            || sample.startsWith(name + "_count"));
  }

  /** Prints what scrapes take, and holds them against a limit that a busy machine keeps, too. */
  private static void measure(DaemonJvm daemon) throws Exception {
    long[] tookUs = new long[SCRAPES];
    double cpuBefore = metrics(daemon).get("process_cpu_seconds_total");
    for (int i = 0; i < SCRAPES; i++) {
      long beganNs = System.nanoTime();
      var _ = scrape(daemon);
      tookUs[i] = (System.nanoTime() - beganNs) / 1_000;
    }
    Map<String, Double> after = metrics(daemon);
    Arrays.sort(tookUs);
    System.out.printf(
        "scrapes: %d us p50, %d us p99, %.2f ms of CPU each; %.0f us of the agent's thread%n",
        tookUs[SCRAPES / 2],
        tookUs[SCRAPES * 99 / 100],
        1e3 * (after.get("process_cpu_seconds_total") - cpuBefore) / SCRAPES,
        1e6 * after.get("hypersync_leader_measuring_seconds"));
    assertTrue(tookUs[SCRAPES / 2] < 1_000_000, () -> tookUs[SCRAPES / 2] + " us");
  }

  private static Path page() {
    Path path = Path.of("").toAbsolutePath();
    while (!Files.exists(path.resolve("hypersync-cli"))) {
      path = path.getParent();
    }
    return path.resolve("docs/metrics.md");
  }

  private static Map<String, Double> metrics(DaemonJvm daemon)
      throws IOException, InterruptedException {
    Map<String, Double> samples = new TreeMap<>();
    scrape(daemon)
        .lines()
        .filter(line -> !line.startsWith("#"))
        .forEach(
            line -> {
              int blank = line.lastIndexOf(' ');
              samples.put(line.substring(0, blank), Double.valueOf(line.substring(blank + 1)));
            });
    return samples;
  }

  private static String scrape(DaemonJvm daemon) throws IOException, InterruptedException {
    String[] url = new String[1];
    Await.until(
        "the port of the metrics",
        () -> {
          url[0] = daemon.status().path("metrics").asText();
          return url[0].startsWith("http://");
        });
    return HTTP.send(
            HttpRequest.newBuilder(URI.create(url[0])).timeout(Duration.ofSeconds(20)).build(),
            BodyHandlers.ofString())
        .body();
  }

  private static String promtool(String metrics) throws IOException, InterruptedException {
    Process process;
    try {
      process =
          new ProcessBuilder("promtool", "check", "metrics").redirectErrorStream(true).start();
    } catch (IOException missing) {
      throw new AssertionError(
          "this test needs promtool: apt-get install --no-install-recommends prometheus", missing);
    }
    process.getOutputStream().write(metrics.getBytes(StandardCharsets.UTF_8));
    process.getOutputStream().close();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), said);
    return said;
  }
}
