package io.hypersync.bench;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/** JSON report of the end-to-end suite, with the keys of {@code docs/benchmarks.md}. */
final class JsonReport {
  private static final double NS_PER_US = 1000;
  private static final double HUNDREDTHS = 100;

  private JsonReport() {}

  static ObjectNode render(Report report) {
    ObjectNode tree = report.load().json().put("workers", report.workers().count());
    OptionalLong floor = Floor.ofMainHost(report.rows());
    if (floor.isPresent()) {
      tree.put("main_host_floor_us", rounded(floor.getAsLong() / NS_PER_US));
    }
    ArrayNode rows = tree.putArray("rows");
    for (Pair row : report.rows()) {
      ObjectNode node = rows.addObject();
      node.put("op", row.operation().key()).put("threads", row.threads());
      row.samples().values().forEach(sample -> add(node, sample));
      for (MeasuredFilesystem.Kind place : row.samples().keySet()) {
        if (place != MeasuredFilesystem.Kind.HYPERSYNC) {
          put(node, "p50_times_" + place.key(), row.timesP50(place));
        }
      }
      put(node, "ops_share_of_plain", row.shareOfPlainOperations());
      put(node, "ops_times_one_thread", row.timesOneThread());
    }
    if (!report.propagation().isEmpty()) {
      ObjectNode propagation = tree.putObject("propagation");
      for (Propagation change : report.propagation()) {
        propagation
            .putObject(change.change().key())
            .put("p50_us", rounded(change.p50Ns() / NS_PER_US))
            .put("p99_us", rounded(change.p99Ns() / NS_PER_US));
      }
    }
    report.memory().ifPresent(use -> add(tree, use));
    ArrayNode leftOut = tree.putArray("left_out");
    report.leftOut().forEach(leftOut::add);
    Target.write(report.aims(), tree);
    return tree;
  }

  private static void add(ObjectNode row, Sample sample) {
    ObjectNode place = row.putObject(sample.place().key());
    place
        .put("best_us", rounded(sample.bestNs() / NS_PER_US))
        .put("p50_us", rounded(sample.p50Ns() / NS_PER_US))
        .put("p99_us", rounded(sample.p99Ns() / NS_PER_US))
        .put("ops_per_s", rounded(sample.operationsPerSecond()))
        .put("ops", sample.operations());
    OptionalDouble all = sample.cpuNsPerOperation();
    if (all.isPresent()) {
      ObjectNode cpu = place.putObject("cpu_us");
      sample
          .cpu()
          .ns()
          .forEach((name, ns) -> cpu.put(name, rounded(ns / NS_PER_US / sample.operations())));
      place.put("cpu_all_us", rounded(all.getAsDouble() / NS_PER_US));
    }
  }

  private static void add(ObjectNode tree, MemoryUse use) {
    ObjectNode memory = tree.putObject("memory");
    memory.put("files", use.files()).put("file_bytes", use.fileBytes());
    memory.put("elapsed_ms", use.elapsedNs() / 1_000_000);
    memory.put("leader_restart_ms", use.restartNs() / 1_000_000);
    memory.put("leader_restart_cold", use.cold());
    ArrayNode daemons = memory.putArray("daemons");
    for (MemoryUse.Daemon daemon : use.daemons()) {
      daemons
          .addObject()
          .put("daemon", daemon.name())
          .put("empty_bytes", daemon.emptyBytes())
          .put("resident_bytes", daemon.residentBytes())
          .put("resting_bytes", daemon.restingBytes())
          .put("bytes_per_file", use.bytesPerFile(daemon))
          .put("resting_bytes_per_file", use.restingBytesPerFile(daemon));
    }
  }

  private static void put(ObjectNode node, String key, Optional<Double> value) {
    value.ifPresent(ratio -> node.put(key, rounded(ratio)));
  }

  private static double rounded(double value) {
    return Math.round(value * HUNDREDTHS) / HUNDREDTHS;
  }
}
