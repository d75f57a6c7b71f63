package io.hypersync.cli.render;

import com.fasterxml.jackson.databind.JsonNode;
import io.hypersync.cli.stages.Stage;
import io.hypersync.model.text.Printable;

/** Text output of {@code hypersync why-slow}, from the tree of {@code docs/json.md}. */
public final class WhySlowReport {
  private static final int SLOWEST_SHOWN = 8;
  private static final int MS_PER_S = 1_000;

  private WhySlowReport() {}

  public static String render(JsonNode tree) {
    StringBuilder text = new StringBuilder();
    for (JsonNode worker : tree.path("workers")) {
      text.append(text.isEmpty() ? "" : "\n").append(worker(worker));
    }
    double load = tree.path("load_1m").asDouble();
    int cpus = tree.path("cpus").asInt();
    text.append("The load of this machine is %.1f on %d CPUs".formatted(load, cpus));
    text.append(
        load > cpus
            ? ": threads wait for them, and each stage that needs one is longer for it.\n"
            : ".\n");
    return text.toString();
  }

  private static String worker(JsonNode worker) {
    JsonNode recent = worker.path("recent");
    JsonNode ever = worker.path("since_start");
    StringBuilder text = new StringBuilder();
    text.append("Worker ")
        .append(Printable.line(worker.path("worker_id").asText()))
        .append(", mounted at ")
        .append(Printable.line(worker.path("mount").asText()))
        .append(": ")
        .append(Quantities.count(recent.path("total").path("count").asLong()))
        .append(" changes in the last 10 s, ")
        .append(Quantities.count(ever.path("total").path("count").asLong()))
        .append(" since the start\n\n");
    text.append(stages(recent, ever).render("  ")).append('\n');
    JsonNode slowest = worker.path("slowest");
    if (!slowest.isEmpty()) {
      text.append("  The slowest of the last minute\n")
          .append(slowest(slowest, SLOWEST_SHOWN).render("  "))
          .append('\n');
    }
    text.append(Printable.line(worker.path("limit").path("sentence").asText())).append('\n');
    String advice = worker.path("limit").path("advice").asText();
    if (!advice.isEmpty()) {
      text.append(Printable.line(advice)).append('\n');
    }
    return text.append(upkeep(worker)).toString();
  }

  /** What else both daemons are busy with, or were. */
  private static String upkeep(JsonNode worker) {
    StringBuilder text = new StringBuilder(ProgressReport.of(worker, "Worker "));
    if (worker.path("snapshots").path("taking").asBoolean()) {
      text.append("The worker takes a snapshot now.\n");
    }
    if (worker.path("chunk_cache").path("running").asBoolean()) {
      text.append("The worker collects chunks now.\n");
    }
    JsonNode leader = worker.path("leader");
    if (!leader.isObject()) {
      return text.toString();
    }
    if (leader.path("log_bytes").isNumber()) {
      text.append("The leader's log takes ")
          .append(Quantities.bytes(leader.path("log_bytes").asLong()))
          .append(", from entry ")
          .append(Quantities.count(leader.path("log_first_index").asLong()))
          .append(" on.\n");
    }
    JsonNode snapshots = leader.path("snapshots");
    if (snapshots.path("newest_index").asLong() > 0) {
      text.append("Its newest snapshot is of entry ")
          .append(Quantities.count(snapshots.path("newest_index").asLong()))
          .append(", ")
          .append(Quantities.uptime(snapshots.path("newest_age_ms").asLong()))
          .append(" ago")
          .append(CostReport.ofSnapshot(snapshots))
          .append(snapshots.path("taking").asBoolean() ? "; it takes one now.\n" : ".\n");
    } else if (snapshots.path("taking").asBoolean()) {
      text.append("It takes its first snapshot now.\n");
    }
    JsonNode last = leader.path("gc").path("last");
    boolean isCollecting = leader.path("gc").path("running").asBoolean();
    if (last.isObject()) {
      text.append("Its last collection found ")
          .append(Quantities.bytes(last.path("bytes_live").asLong()))
          .append(" live, pinned ")
          .append(CostReport.ofCollection(last))
          .append(isCollecting ? "; one runs now.\n" : ".\n");
    } else if (isCollecting) {
      text.append("It collects chunks now.\n");
    }
    return text.toString();
  }

  /** A row for each stage that has figures, either recent or since the start. */
  private static Table stages(JsonNode recent, JsonNode ever) {
    Table table =
        Table.of(
            "STAGE",
            ">NOW P50",
            ">P95",
            ">P99",
            ">SHARE",
            ">EVER P50",
            ">P95",
            ">P99",
            ">SHARE",
            "WHAT IT IS");
    for (Stage stage : Stage.values()) {
      JsonNode now = recent.path(stage.key());
      JsonNode then = ever.path(stage.key());
      if (now.path("count").asLong() > 0 || then.path("count").asLong() > 0) {
        table.row(
            stage.key(),
            micros(now, "us_p50"),
            micros(now, "us_p95"),
            micros(now, "us_p99"),
            share(now),
            micros(then, "us_p50"),
            micros(then, "us_p95"),
            micros(then, "us_p99"),
            share(then),
            stage.what());
      }
    }
    return table;
  }

  /** A row for each stage that has figures, for one period of time. */
  static Table stages(JsonNode figures) {
    Table table = Table.of("STAGE", ">P50", ">P95", ">P99", ">MAX", ">SHARE", "WHAT IT IS");
    for (Stage stage : Stage.values()) {
      JsonNode row = figures.path(stage.key());
      if (row.path("count").asLong() > 0) {
        table.row(
            stage.key(),
            micros(row, "us_p50"),
            micros(row, "us_p95"),
            micros(row, "us_p99"),
            micros(row, "us_max"),
            share(row),
            stage.what());
      }
    }
    return table;
  }

  /** A row for each of the first {@code limit} slow mutations. */
  static Table slowest(JsonNode slowest, int limit) {
    Table table = Table.of(">AGO", ">TOOK", "MOST OF IT IN", ">", "OP", "PATH");
    for (int i = 0; i < Math.min(limit, slowest.size()); i++) {
      JsonNode slow = slowest.get(i);
      String stage = slow.path("stage").asText();
      JsonNode us = slow.path("us");
      table.row(
          slow.path("ago_ms").asLong() / MS_PER_S + " s",
          Quantities.micros(Math.round(us.path("total").asDouble())),
          stage,
          Quantities.micros(Math.round(us.path(stage).asDouble())),
          slow.path("op").asText(),
          slow.path("path").isTextual() ? "/" + slow.path("path").asText() : "(gone)");
    }
    return table;
  }

  /** Formats microseconds, with tenths below 10 us. */
  private static String micros(JsonNode figures, String key) {
    if (figures.path("count").asLong() == 0) {
      return "-";
    }
    double us = figures.path(key).asDouble();
    return us < 10 ? "%.1f us".formatted(us) : Quantities.micros(Math.round(us));
  }

  private static String share(JsonNode figures) {
    return figures.path("share").isNumber() && figures.path("count").asLong() > 0
        ? "%.0f %%".formatted(100 * figures.path("share").asDouble())
        : "-";
  }
}
