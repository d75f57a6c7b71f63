package io.hypersync.cli.metrics;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.Version;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot.InfoDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricMetadata;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Turns measured status into metrics. Decides only: no clock, no threads. Labels are bounded: their
 * values are constants of the program, and of workers the first {@link #MAX_WORKERS} by name.
 */
final class MetricReader {
  /** How many workers have series of their own; agents never have. */
  static final int MAX_WORKERS = 200;

  private static final MetricMetadata WITHOUT_SERIES =
      new MetricMetadata(
          "hypersync_leader_workers_without_series",
          "Connected workers beyond the 200 that have series of their own.");

  private final List<Family> families;

  /** A row, and what is made of it once. */
  private record Family(MetricRow row, String[] parent, String key, MetricMetadata metadata) {
    static Family of(MetricRow row) {
      String[] path = row.path().split("\\.", -1);
      String[] parent = new String[path.length - 1];
      System.arraycopy(path, 0, parent, 0, parent.length);
      return new Family(
          row, parent, path[parent.length], new MetricMetadata(row.familyName(), row.help()));
    }

    /** The object in a tree that has the last key of the path, or a missing node. */
    JsonNode parent(JsonNode tree) {
      JsonNode node = tree;
      for (String each : parent) {
        node = node.path(each);
      }
      return node;
    }
  }

  MetricReader(List<MetricRow> rows) {
    families = rows.stream().map(Family::of).toList();
  }

  /**
   * Returns the metrics of a process.
   *
   * @param daemons the measured status of each of its daemons
   */
  List<MetricSnapshot> read(List<ObjectNode> daemons) {
    List<MetricSnapshot> found = new ArrayList<>();
    for (ObjectNode daemon : daemons) {
      String role = daemon.path("role").asText();
      SortedMap<String, JsonNode> workers = connected(daemon);
      int beyond = Math.max(0, workers.size() - MAX_WORKERS);
      while (workers.size() > MAX_WORKERS) {
        workers.remove(workers.lastKey());
      }
      for (Family family : families) {
        if (family.row.part().isOf(role)) {
          MetricPoints points = new MetricPoints(family.row);
          collect(family, daemon, workers, points);
          points.addTo(found, family.metadata);
        }
      }
      found.add(info(role, daemon));
      if (role.equals("leader")) {
        found.add(
            new GaugeSnapshot(
                WITHOUT_SERIES, List.of(new GaugeDataPointSnapshot(beyond, Labels.EMPTY, null))));
      }
    }
    return found;
  }

  /** One for each name: a worker whose last connection is not given up yet may have two. */
  private static SortedMap<String, JsonNode> connected(ObjectNode daemon) {
    SortedMap<String, JsonNode> byName = new TreeMap<>();
    for (JsonNode worker : daemon.path("workers")) {
      if (worker.path("connected").asBoolean()) {
        byName.put(worker.path("worker_id").asText(), worker);
      }
    }
    return byName;
  }

  private static void collect(
      Family family, ObjectNode daemon, Map<String, JsonNode> workers, MetricPoints points) {
    String label = family.row.label();
    JsonNode parent = family.parent(daemon);
    switch (family.row.shape()) {
      case ONE -> points.add(Labels.EMPTY, parent, family.key);
      case PRESENCE -> {
        if (parent.has(family.key)) {
          points.add(Labels.EMPTY, parent.path(family.key).isNull() ? 0 : 1);
        }
      }
      case KEYS -> {
        JsonNode all = parent.path(family.key);
        all.fieldNames().forEachRemaining(key -> points.add(Labels.of(label, key), all, key));
      }
      case WORKERS ->
          workers.forEach(
              (name, worker) ->
                  points.add(Labels.of(label, name), family.parent(worker), family.key));
      case COUNTED -> {
        Map<String, Integer> counts = new TreeMap<>();
        for (JsonNode each : parent.path(family.key)) {
          counts.merge(each.path(label).asText(), 1, Integer::sum);
        }
        counts.forEach((value, count) -> points.add(Labels.of(label, value), count));
      }
    }
  }

  private static InfoSnapshot info(String role, ObjectNode daemon) {
    boolean leads = role.equals("leader");
    Labels labels =
        Labels.of(
            "version",
            Version.text(),
            "workspace",
            daemon.path("workspace").asText(),
            leads ? "workspace_name" : "worker",
            daemon.path(leads ? "workspace_name" : "worker_id").asText());
    return new InfoSnapshot(
        new MetricMetadata("hypersync_" + role, "Which daemon this is."),
        List.of(new InfoDataPointSnapshot(labels)));
  }
}
