package io.hypersync.cli.simulate;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.sim.SeedSweepReport;
import io.hypersync.sim.SimulationFailure;
import java.util.Locale;

/** Renders the result of a seed sweep as JSON and as text. */
final class SimulateReport {
  private static final double NS_PER_S = 1e9;

  private SimulateReport() {}

  static ObjectNode tree(SeedSweepReport report) {
    ObjectNode tree =
        JsonNodeFactory.instance
            .objectNode()
            .put("ok", report.failures().isEmpty())
            .put("first_seed", report.limits().firstSeed())
            .put("steps_with_faults", report.limits().steps())
            .put("histories", report.histories())
            .put("elapsed_s", report.elapsedNs() / NS_PER_S)
            .put("histories_per_minute", report.perMinute())
            .put("cpu_ms_per_history", report.cpuMsPerHistory())
            .put("steps", report.steps())
            .put("entries", report.entries())
            .put("committed", report.committed())
            .put("failed", report.failed())
            .put("unknown", report.unknown())
            .put("locks", report.locks())
            .put("faults", report.faults())
            .put("reaped", report.reaped())
            .put("explained", report.explained());
    ArrayNode failures = tree.putArray("failures");
    for (SimulationFailure failure : report.failures()) {
      failures
          .addObject()
          .put("seed", failure.options().seed())
          .put("step", failure.step())
          .put("message", failure.what())
          .put("command", failure.options().command());
    }
    return tree;
  }

  static String text(SeedSweepReport report) {
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(
            Locale.ROOT,
            """
            %,d histories from seed %d on, %,d steps each under faults, in %.1f s: \
            %,.0f a minute, %.1f ms of CPU each
            %,d events: %,d log entries; calls: %,d committed, %,d refused, %,d told EIO; \
            %,d locks, %,d faults, %,d orphans reaped, %,d calls put in order
            """,
            report.histories(),
            report.limits().firstSeed(),
            report.limits().steps(),
            report.elapsedNs() / NS_PER_S,
            report.perMinute(),
            report.cpuMsPerHistory(),
            report.steps(),
            report.entries(),
            report.committed(),
            report.failed(),
            report.unknown(),
            report.locks(),
            report.faults(),
            report.reaped(),
            report.explained()));
    for (SimulationFailure failure : report.failures()) {
      text.append("bad: seed ")
          .append(failure.options().seed())
          .append(": ")
          .append(failure.what().lines().findFirst().orElse(""))
          .append("\n  ")
          .append(failure.options().command())
          .append('\n');
    }
    return text.append(report.failures().isEmpty() ? "ok\n" : "").toString();
  }
}
