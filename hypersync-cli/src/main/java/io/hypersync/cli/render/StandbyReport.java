package io.hypersync.cli.render;

import com.fasterxml.jackson.databind.JsonNode;
import io.hypersync.model.text.Printable;

/** What {@code status} says of standbys: how far they are, and whether they could lead. */
final class StandbyReport {
  private StandbyReport() {}

  /** Appends the standbys of this machine. */
  static void append(StringBuilder text, JsonNode standbys) {
    if (standbys.isEmpty()) {
      return;
    }
    if (!text.isEmpty()) {
      text.append('\n');
    }
    Table table = Table.of("STANDBY", "LEADER", "STATE", ">SYNCED", ">LAG", ">TERM", ">PID");
    for (JsonNode standby : standbys) {
      table.row(
          standby.path("worker_id").asText(),
          standby.path("leader").asText(),
          state(standby),
          Quantities.count(standby.path("synced_index").asLong()),
          lag(standby.path("lag_entries")),
          standby.path("term_seen").asText(),
          standby.path("pid").asText());
    }
    text.append(table.render(""));
    for (JsonNode standby : standbys) {
      for (JsonNode folder : standby.path("left_behind")) {
        text.append("  standby ")
            .append(standby.path("worker_id").asText())
            .append(": what only this host had committed when another one took over: ")
            .append(Printable.line(folder.asText()))
            .append('\n');
      }
    }
  }

  /** Nobody knows it while the leader is away. */
  private static String lag(JsonNode entries) {
    return entries.isNumber() ? Quantities.count(entries.asLong()) : "?";
  }

  private static String state(JsonNode standby) {
    if (!standby.path("complete").asBoolean()) {
      return "not complete";
    }
    return standby.path("connected").asBoolean() ? "complete" : "complete, leader away";
  }

  /** Appends those that follow a leader, as the leader sees them. */
  static void appendOfLeader(StringBuilder text, JsonNode workers) {
    for (JsonNode worker : workers) {
      JsonNode standby = worker.path("standby");
      if (standby.isObject()) {
        text.append("  standby ")
            .append(worker.path("worker_id").asText())
            .append(
                standby.path("complete").asBoolean()
                    ? ": "
                        + Quantities.count(standby.path("lag_entries").asLong())
                        + " entries and "
                        + standby.path("lag_ms").asText()
                        + " ms behind, acknowledged without it\n"
                    : ": not complete yet, it cannot be promoted\n");
      }
    }
  }
}
