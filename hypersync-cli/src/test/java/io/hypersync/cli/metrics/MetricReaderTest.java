package io.hypersync.cli.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.prometheus.metrics.config.EscapingScheme;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What becomes of a status. */
final class MetricReaderTest {
  private static List<String> lines(String... daemons) throws IOException {
    List<ObjectNode> trees = new java.util.ArrayList<>();
    for (String each : daemons) {
      trees.add((ObjectNode) new ObjectMapper().readTree(each));
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrometheusTextFormatWriter.create()
        .write(
            out,
            new MetricSnapshots(new MetricReader(MetricTable.all()).read(trees)),
            EscapingScheme.DEFAULT);
    return out.toString(StandardCharsets.UTF_8).lines().toList();
  }

  private static void assertHas(List<String> lines, String line) {
    assertTrue(lines.contains(line), () -> line + " is not in\n" + String.join("\n", lines));
  }

  @Test
  void countersGaugesAndUnits() throws IOException {
    List<String> lines =
        lines(
            """
            {"role":"leader","commit_index":7,"locks":{"held":2,"requests":9},"hazards_us":1500,
             "snapshots":{"newest_age_ms":2500,"taking":true,"last_took_ms":null}}
            """);
    assertHas(lines, "hypersync_leader_commit_index 7.0");
    assertHas(lines, "# TYPE hypersync_leader_commit_index gauge");
    assertHas(lines, "hypersync_leader_locks_held 2.0");
    assertHas(lines, "hypersync_leader_lock_requests_total 9.0");
    assertHas(lines, "# TYPE hypersync_leader_lock_requests_total counter");
    assertHas(lines, "hypersync_leader_hazard_detection_seconds_total 0.0015");
    assertHas(lines, "hypersync_leader_snapshot_age_seconds 2.5");
    assertHas(lines, "hypersync_leader_snapshot_running 1.0");
    assertFalse(
        lines.stream().anyMatch(line -> line.contains("snapshot_duration")),
        "what is not known has no value");
  }

  @Test
  void aMapHasALabel() throws IOException {
    List<String> lines =
        lines(
            """
            {"role":"leader","hazards":{"destroyed_work":3,"symlink_leaves":0},
             "absent":[{"state":"left"},{"state":"diverged"},{"state":"left"}]}
            """);
    assertHas(lines, "hypersync_leader_hazards_total{kind=\"destroyed_work\"} 3.0");
    assertHas(lines, "hypersync_leader_hazards_total{kind=\"symlink_leaves\"} 0.0");
    assertHas(lines, "hypersync_leader_workers_absent{state=\"left\"} 2.0");
    assertHas(lines, "hypersync_leader_workers_absent{state=\"diverged\"} 1.0");
  }

  @Test
  void bucketsAreAHistogramInSeconds() throws IOException {
    List<String> lines =
        lines(
            """
            {"role":"worker","stages":{"total":{"least":16000,"counts":[1,0,2,4],"sum":3000000000}}}
            """);
    String name = "hypersync_worker_stage_seconds";
    assertHas(lines, name + "_bucket{stage=\"total\",le=\"1.6E-5\"} 1");
    assertHas(lines, name + "_bucket{stage=\"total\",le=\"6.4E-5\"} 3");
    assertHas(lines, name + "_bucket{stage=\"total\",le=\"+Inf\"} 7");
    assertHas(lines, name + "_count{stage=\"total\"} 7");
    assertHas(lines, name + "_sum{stage=\"total\"} 3.0");
  }

  @Test
  void aRateOfIntentsIsASummary() throws IOException {
    List<String> lines =
        lines(
            """
            {"role":"leader","workers":[
              {"worker_id":"fmd","connected":true,"intents_per_s_p50":10,"intents_per_s_p99":90}]}
            """);
    String name = "hypersync_leader_worker_intents_per_second";
    assertHas(lines, name + "{worker=\"fmd\",quantile=\"0.5\"} 10.0");
    assertHas(lines, name + "{worker=\"fmd\",quantile=\"0.99\"} 90.0");
  }

  @Test
  void aWorkerWithTwoConnectionsHasOneSeries() throws IOException {
    List<String> lines =
        lines(
            """
            {"role":"leader","workers":[
              {"worker_id":"a","connected":true,"lag":1},{"worker_id":"a","connected":true,"lag":2},
              {"worker_id":"b","connected":false,"lag":3}]}
            """);
    assertEquals(
        1, lines.stream().filter(line -> line.startsWith("hypersync_leader_worker_lag")).count());
  }

  @Test
  void thousandsOfWorkersHaveABoundedNumberOfSeries() throws IOException {
    ObjectNode leader = new ObjectMapper().createObjectNode().put("role", "leader");
    ArrayNode workers = leader.putArray("workers");
    for (int i = 0; i < 10_000; i++) {
      workers.addObject().put("worker_id", "w" + i).put("connected", true).put("lag", i);
    }
    List<String> lines = lines(leader.toString());
    assertEquals(
        MetricReader.MAX_WORKERS,
        lines.stream().filter(line -> line.startsWith("hypersync_leader_worker_lag_")).count());
    assertHas(lines, "hypersync_leader_workers_without_series 9800.0");
  }

  @Test
  void aStandbyHasWhatAWorkerHasAndItsOwn() throws IOException {
    List<String> lines =
        lines(
            """
            {"role":"standby","worker_id":"spare","applied_index":5,"complete":false,
             "apply_error":null,"install":{"index":4}}
            """);
    assertHas(lines, "hypersync_worker_applied_index 5.0");
    assertHas(lines, "hypersync_standby_complete 0.0");
    assertHas(lines, "hypersync_worker_apply_error 0.0");
    assertHas(lines, "hypersync_worker_installing 1.0");
    assertTrue(
        lines.stream()
            .anyMatch(
                line ->
                    line.startsWith("hypersync_standby_info{")
                        && line.contains("worker=\"spare\"")));
  }

  @Test
  void leaderAndMountOfOneProcessAreShownTogether() throws IOException {
    List<String> lines =
        lines(
            "{\"role\":\"leader\",\"commit_index\":9}",
            "{\"role\":\"worker\",\"applied_index\":8}");
    assertHas(lines, "hypersync_leader_commit_index 9.0");
    assertHas(lines, "hypersync_worker_applied_index 8.0");
  }
}
