package io.hypersync.cli.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Names of metrics, and the files that use them. */
final class MetricTableTest {
  private static final Path ROOT = root();
  private static final Path PAGE = ROOT.resolve("docs/metrics.md");
  private static final Pattern NAME =
      Pattern.compile("\\b(?:hypersync|process|jvm)_[a-z][a-z0-9_]*");

  /** Those that no row of the table is for. */
  private static final Set<String> OTHERS =
      Set.of(
          "hypersync_leader_info",
          "hypersync_worker_info",
          "hypersync_standby_info",
          "hypersync_leader_workers_without_series",
          "hypersync_metrics_age_seconds",
          "process_cpu_seconds_total",
          "process_resident_memory_bytes",
          "process_open_fds",
          "process_start_time_seconds",
          "jvm_heap_used_bytes",
          "jvm_heap_committed_bytes",
          "jvm_heap_limit_bytes",
          "jvm_gc_seconds_total",
          "jvm_gc_runs_total");

  private static Path root() {
    Path path = Path.of("").toAbsolutePath();
    while (!Files.exists(path.resolve("hypersync-cli"))) {
      path = path.getParent();
    }
    return path;
  }

  private static Set<String> known() {
    Set<String> names = new HashSet<>(OTHERS);
    for (MetricRow row : MetricTable.all()) {
      names.add(row.fullName());
      if (row.kind() == MetricRow.Kind.HISTOGRAM) {
        Stream.of("_bucket", "_sum", "_count").forEach(end -> names.add(row.fullName() + end));
      }
    }
    return names;
  }

  @Test
  void namesAreUniqueAndInBaseUnits() {
    Set<String> names = new HashSet<>();
    for (MetricRow row : MetricTable.all()) {
      assertTrue(names.add(row.familyName()), row::familyName);
      assertTrue(row.familyName().matches("[a-z][a-z0-9]*(_[a-z0-9]+)+"), row::familyName);
      assertFalse(
          row.familyName().matches(".*_(ms|us|ns|percent|total|info|count|sum|bucket)"),
          row::familyName);
      assertTrue(row.help().endsWith("."), row::help);
      if (row.scale() == MetricRow.PERCENT) {
        assertTrue(row.familyName().endsWith("_ratio"), row::familyName);
      } else if (row.scale() != 1) {
        assertTrue(row.familyName().endsWith("_seconds"), row::familyName);
      }
    }
  }

  @Test
  void thePageHasARowForEachMetric() throws IOException {
    List<String> page = Files.readAllLines(PAGE);
    List<String> missing = new ArrayList<>();
    for (MetricRow row : MetricTable.all()) {
      String line =
          "| `"
              + row.fullName()
              + "` | "
              + row.kind().text()
              + " | "
              + (row.label().isEmpty() ? "" : "`" + row.label() + "`")
              + " | "
              + row.help()
              + " |";
      if (!page.contains(line)) {
        missing.add(line);
      }
    }
    if (!missing.isEmpty()) {
      fail(PAGE + " lacks:\n" + String.join("\n", missing));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "docs/metrics.md",
        "etc/prometheus/hypersync.rules.yml",
        "etc/grafana/overview.json",
        "etc/grafana/host.json",
        "etc/grafana/agents.json"
      })
  void eachMetricThatAFileNamesExists(String file) throws IOException {
    Set<String> unknown = new TreeSet<>();
    int found = 0;
    Matcher names = NAME.matcher(Files.readString(ROOT.resolve(file)));
    while (names.find()) {
      found++;
      if (!known().contains(names.group())) {
        unknown.add(names.group());
      }
    }
    assertEquals(Set.of(), unknown, file);
    assertTrue(found >= 5, file + " names " + found);
  }

  @ParameterizedTest
  @ValueSource(strings = {"overview", "host", "agents"})
  void aDashboardHasAQueryInEachPanel(String name) throws IOException {
    JsonNode board =
        new ObjectMapper().readTree(ROOT.resolve("etc/grafana/" + name + ".json").toFile());
    assertEquals("hypersync-" + name, board.path("uid").asText());
    Set<Integer> ids = new HashSet<>();
    for (JsonNode panel : board.path("panels")) {
      assertTrue(ids.add(panel.path("id").asInt()), panel::toString);
      assertFalse(panel.path("title").asText().isEmpty(), panel::toString);
      assertFalse(panel.path("description").asText().isEmpty(), panel::toString);
      assertFalse(panel.path("targets").path(0).path("expr").asText().isEmpty(), panel::toString);
    }
    assertTrue(ids.size() >= 6, board::toString);
  }

  /** As rules, since promtool looks at no dashboards. */
  @ParameterizedTest
  @ValueSource(strings = {"overview", "host", "agents"})
  void promtoolUnderstandsTheQueriesOfADashboard(String name, @TempDir Path directory)
      throws IOException, InterruptedException {
    ObjectMapper json = new ObjectMapper();
    StringBuilder rules = new StringBuilder("groups:\n- name: g\n  rules:\n");
    int count = 0;
    for (JsonNode panel :
        json.readTree(ROOT.resolve("etc/grafana/" + name + ".json").toFile()).path("panels")) {
      for (JsonNode target : panel.path("targets")) {
        String query =
            target
                .path("expr")
                .asText()
                .replace("$__rate_interval", "5m")
                .replace("$instance", ".*");
        rules
            .append("  - record: query:")
            .append(count++)
            .append("\n    expr: ")
            .append(json.writeValueAsString(query)) // a JSON string is one of YAML
            .append('\n');
      }
    }
    Path file = Files.writeString(directory.resolve("queries.yml"), rules);
    Promtool.Result checked = Promtool.run("", "check", "rules", file.toString());
    assertEquals(0, checked.exit(), checked.output());
    assertTrue(checked.output().contains(count + " rules found"), checked.output());
  }

  @Test
  void promtoolAcceptsTheAlertRules() throws IOException, InterruptedException {
    Promtool.Result checked =
        Promtool.run(
            "", "check", "rules", ROOT.resolve("etc/prometheus/hypersync.rules.yml").toString());
    assertEquals(0, checked.exit(), checked.output());
  }
}
