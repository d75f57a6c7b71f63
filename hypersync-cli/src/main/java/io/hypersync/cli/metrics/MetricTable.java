package io.hypersync.cli.metrics;

import io.hypersync.cli.metrics.MetricRow.Part;
import java.util.List;
import java.util.stream.Stream;

/** All metrics that are read from the status of daemons. */
final class MetricTable {
  private static final List<MetricRow> ALL =
      Stream.of(
              LeaderRows.log(),
              LeaderRows.coordination(),
              LeaderRows.storage(),
              LeaderRows.dataPlane(),
              LeaderRows.workers(),
              SharedRows.of(Part.LEADER),
              WorkerRows.replica(),
              WorkerRows.mount(),
              SharedRows.of(Part.WORKER),
              WorkerRows.standby())
          .flatMap(List::stream)
          .toList();

  private MetricTable() {}

  static List<MetricRow> all() {
    return ALL;
  }
}
