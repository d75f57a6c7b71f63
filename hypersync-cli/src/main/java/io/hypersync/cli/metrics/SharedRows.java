package io.hypersync.cli.metrics;

import static io.hypersync.cli.metrics.MetricRow.MILLISECONDS;
import static io.hypersync.cli.metrics.MetricRow.NANOSECONDS;

import io.hypersync.cli.metrics.MetricRow.Part;
import java.util.List;

/** What leader and worker count alike, each under its own name. */
final class SharedRows {
  private SharedRows() {}

  static List<MetricRow> of(Part part) {
    return List.of(
        MetricRow.counter(
                part,
                "invariants_broken",
                "invariant_violations",
                "Violations of the invariants of hypersync.md 22.1; any is a bug.")
            .by("invariant"),
        MetricRow.counter(
            part, "vector_faults", "vector_faults", "Ways to hash with vectors found wrong."),
        MetricRow.gauge(
                part,
                "measuring_ns",
                "measuring_seconds",
                "What these figures took the agent's thread.")
            .times(NANOSECONDS),
        MetricRow.gauge(
                part,
                "certificate.expires_in_ms",
                "certificate_expiry_seconds",
                "Until its certificate ends; negative after that.")
            .times(MILLISECONDS),
        MetricRow.gauge(part, "snapshots.newest_index", "snapshot_index", "Of the newest one."),
        MetricRow.gauge(
                part, "snapshots.newest_age_ms", "snapshot_age_seconds", "Of the newest one.")
            .times(MILLISECONDS),
        MetricRow.gauge(
            part,
            "snapshots.newest_bytes_written",
            "snapshot_written_bytes",
            "What the newest one added to the one before."),
        MetricRow.gauge(
                part, "snapshots.last_took_ms", "snapshot_duration_seconds", "Of the last one.")
            .times(MILLISECONDS),
        MetricRow.gauge(part, "snapshots.taking", "snapshot_running", "Whether one is taken."),
        MetricRow.gauge(part, "snapshots.count", "snapshots", "Snapshots that are kept."),
        MetricRow.counter(part, "snapshots.taken", "snapshots_taken", "Snapshots taken."),
        MetricRow.gauge(
            part, "snapshots.bytes_kept", "snapshot_history_bytes", "What only history keeps."),
        MetricRow.counter(
            part, "snapshots.removed_for_room", "snapshots_removed_for_room", "For lack of room."),
        MetricRow.counter(part, "snapshots.failed", "snapshot_failures", "Snapshots that failed."),
        MetricRow.gauge(part, "page_memory.pages", "pages_in_memory", "Pages of the state."),
        MetricRow.gauge(part, "page_memory.bytes", "page_memory_bytes", "Heap they take, about."),
        MetricRow.gauge(part, "page_memory.limit", "page_memory_limit_bytes", "What it may be."),
        MetricRow.counter(part, "page_memory.read", "pages_read", "Pages read again."),
        MetricRow.counter(part, "page_memory.dropped", "pages_dropped", "Pages dropped."));
  }
}
