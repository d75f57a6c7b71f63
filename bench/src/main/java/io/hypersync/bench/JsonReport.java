package io.hypersync.bench;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;

/** A report for programs, with the keys of {@code docs/benchmarks.md}. */
final class JsonReport {
  private static final double NS_PER_US = 1000;
  private static final double HUNDREDTHS = 100;

  private JsonReport() {}

  /** The whole of it. */
  static ObjectNode render(Report report) {
    ObjectNode tree = JsonNodeFactory.instance.objectNode();
    Machine machine = report.machine();
    tree.putObject("machine")
        .put("kernel", machine.kernel())
        .put("cpus", machine.cpus())
        .put("cpu_model", machine.cpuModel())
        .put("disk", machine.disk())
        .put("java", machine.java())
        .put("load_average_start", report.loadAtStart())
        .put("load_average_end", report.loadAtEnd());
    ArrayNode rows = tree.putArray("rows");
    for (Pair row : report.rows()) {
      ObjectNode node = rows.addObject();
      node.put("op", row.operation().key()).put("threads", row.threads());
      row.hypersync().ifPresent(sample -> add(node, sample));
      row.plain().ifPresent(sample -> add(node, sample));
      put(node, "p50_times_plain", row.timesPlainP50());
      put(node, "ops_share_of_plain", row.shareOfPlainOperations());
      put(node, "ops_times_one_thread", row.timesOneThread());
    }
    report.memory().ifPresent(use -> add(tree, use));
    ArrayNode aims = tree.putArray("aims");
    for (Aim aim : report.aims()) {
      aims.addObject()
          .put("aim", aim.key())
          .put("goal", aim.goal())
          .put("found", aim.found())
          .put("met", aim.met());
    }
    return tree;
  }

  private static void add(ObjectNode row, Sample sample) {
    row.putObject(sample.place().label())
        .put("p50_us", rounded(sample.p50Ns() / NS_PER_US))
        .put("p99_us", rounded(sample.p99Ns() / NS_PER_US))
        .put("ops_per_s", rounded(sample.operationsPerSecond()))
        .put("ops", sample.operations());
  }

  private static void add(ObjectNode tree, MemoryUse use) {
    ObjectNode memory = tree.putObject("memory");
    memory.put("files", use.files()).put("elapsed_ms", use.elapsedNs() / 1_000_000);
    ArrayNode daemons = memory.putArray("daemons");
    for (MemoryUse.Daemon daemon : use.daemons()) {
      daemons
          .addObject()
          .put("daemon", daemon.name())
          .put("empty_bytes", daemon.emptyBytes())
          .put("resident_bytes", daemon.residentBytes());
    }
  }

  private static void put(ObjectNode node, String key, Optional<Double> value) {
    value.ifPresent(ratio -> node.put(key, rounded(ratio)));
  }

  private static double rounded(double value) {
    return Math.round(value * HUNDREDTHS) / HUNDREDTHS;
  }
}
