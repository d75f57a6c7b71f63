package io.hypersync.cli.render;

import com.fasterxml.jackson.databind.JsonNode;

/** What {@code hypersync status} shows, from the trees of {@code docs/json.md}. */
public final class StatusReport {
  private StatusReport() {}

  /** The whole report. */
  public static String render(JsonNode status) {
    StringBuilder text = new StringBuilder();
    for (JsonNode leader : status.path("leaders")) {
      appendLeader(text, leader);
    }
    if (!status.path("workers").isEmpty()) {
      text.append(separator(text)).append("Workers on this machine\n");
      text.append(mounts(status.path("workers")).render("  "));
    }
    for (JsonNode daemon : status.path("unresponsive")) {
      text.append(separator(text))
          .append(daemon.path("socket").asText())
          .append(" does not answer: ")
          .append(daemon.path("reason").asText())
          .append('\n');
    }
    for (JsonNode daemon : status.path("dead")) {
      text.append(separator(text))
          .append("The ")
          .append(daemon.path("role").asText())
          .append(" of ")
          .append(daemon.path("socket").asText())
          .append(" is dead.\n");
    }
    for (JsonNode mount : status.path("dead_mounts")) {
      text.append(separator(text))
          .append(mount.asText())
          .append(" is the mount of a dead worker; clear it away with: ./hypersync umount ")
          .append(mount.asText())
          .append('\n');
    }
    return text.toString();
  }

  private static void appendLeader(StringBuilder text, JsonNode leader) {
    text.append(separator(text))
        .append("Leader of workspace ")
        .append(leader.path("workspace_name").asText())
        .append(" (")
        .append(Quantities.shortHex(leader.path("workspace").asText()))
        .append("), pid ")
        .append(leader.path("pid").asText())
        .append(", up ")
        .append(Quantities.uptime(leader.path("uptime_ms").asLong()))
        .append(", listens on ")
        .append(leader.path("address").asText("?"))
        .append('\n');
    line(text, "commit index", count(leader, "commit_index"), "root", root(leader));
    line(text, "files", count(leader, "files"), "data", bytes(leader, "bytes"));
    log(text, leader);
    line(
        text,
        "commit p50",
        micros(leader, "commit_latency_us_p50"),
        "p99",
        micros(leader, "commit_latency_us_p99"));
    Table workers = Table.of("WORKER", "STATE", ">APPLIED", ">LAG", "ROOT", "ADDRESS");
    for (JsonNode worker : leader.path("workers")) {
      workers.row(
          worker.path("worker_id").asText(),
          state(worker),
          count(worker, "applied_index"),
          count(worker, "lag"),
          root(worker),
          worker.path("address").asText("-"));
    }
    text.append(workers.isEmpty() ? "  no worker has connected yet\n" : workers.render("  "));
  }

  /** What is taken ahead of use is told as such. */
  private static void log(StringBuilder text, JsonNode leader) {
    JsonNode ahead = leader.path("log_preallocated_bytes");
    String used =
        ahead.isNumber()
            ? Quantities.bytes(leader.path("log_bytes").asLong() - ahead.asLong())
            : bytes(leader, "log_bytes");
    line(text, "log", used, "chunks", bytes(leader, "chunk_bytes"));
    if (ahead.isNumber()) {
      line(text, "preallocated", bytes(leader, "log_preallocated_bytes"), "for", "the log");
    }
  }

  private static Table mounts(JsonNode workers) {
    Table table =
        Table.of("WORKER", "MOUNT", "STATE", ">APPLIED", ">LAG", "ROOT", ">P50", ">P99", ">PID");
    for (JsonNode worker : workers) {
      table.row(
          worker.path("worker_id").asText(),
          worker.path("mount").asText(),
          state(worker),
          count(worker, "applied_index"),
          Quantities.count(
              Math.max(
                  0, worker.path("commit_index").asLong() - worker.path("applied_index").asLong())),
          root(worker),
          micros(worker, "commit_latency_us_p50"),
          micros(worker, "commit_latency_us_p99"),
          worker.path("pid").asText());
    }
    return table;
  }

  /** The worst that is to be said of a worker. */
  private static String state(JsonNode worker) {
    JsonNode error = worker.path("apply_error");
    if (error.isObject()) {
      return "stopped at " + error.path("log_index").asText() + ": " + error.path("errno").asText();
    }
    if (!worker.path("connected").asBoolean()) {
      return "disconnected";
    }
    return worker.path("read_only").asBoolean() ? "read-only" : "ok";
  }

  private static void line(
      StringBuilder text, String name1, String value1, String name2, String value2) {
    text.append(String.format("  %-13s %-16s %-7s %s%n", name1, value1, name2, value2));
  }

  private static String separator(StringBuilder text) {
    return text.isEmpty() ? "" : "\n";
  }

  private static String count(JsonNode tree, String key) {
    return tree.path(key).isNumber() ? Quantities.count(tree.path(key).asLong()) : "-";
  }

  private static String bytes(JsonNode tree, String key) {
    return tree.path(key).isNumber() ? Quantities.bytes(tree.path(key).asLong()) : "-";
  }

  private static String micros(JsonNode tree, String key) {
    return tree.path(key).isNumber() ? Quantities.micros(tree.path(key).asLong()) : "-";
  }

  private static String root(JsonNode tree) {
    return Quantities.shortHex(tree.path("root").asText("-"));
  }
}
