package io.hypersync.cli.render;

import com.fasterxml.jackson.databind.JsonNode;
import io.hypersync.model.text.Printable;
import java.util.HashSet;
import java.util.Set;

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

  private static String standing(JsonNode standby, JsonNode waited) {
    String lacks = Quantities.count(standby.path("lag_entries").asLong()) + " entries behind";
    String without =
        waited.path("degrade_after_ms").isNumber()
            ? "it is waited for " + waited.path("degrade_after_ms").asText() + " ms"
            : "nothing is acknowledged without it";
    return switch (standby.path("state").asText()) {
      case "synchronous" -> "synchronous, " + lacks;
      case "catching_up" -> "catching up, " + lacks + "; " + without;
      case "away" -> "AWAY; " + without;
      default ->
          "LEFT BEHIND since "
              + Quantities.uptime(standby.path("since_ms").asLong())
              + ": what came after entry "
              + Quantities.count(standby.path("alone_after").asLong())
              + " is on this leader only";
    };
  }

  /** Nobody knows it while the leader is away. */
  private static String lag(JsonNode entries) {
    return entries.isNumber() ? Quantities.count(entries.asLong()) : "?";
  }

  private static String state(JsonNode standby) {
    if (!standby.path("complete").asBoolean()) {
      return "not complete";
    }
    if (!standby.path("connected").asBoolean()) {
      return "complete, leader away";
    }
    return standby.path("synchronous").asBoolean() ? "synchronous" : "complete";
  }

  /**
   * Appends those that follow a leader, as the leader sees them.
   *
   * @param waited those that acknowledgements wait for, with or without a connection
   */
  static void appendOfLeader(StringBuilder text, JsonNode workers, JsonNode waited) {
    Set<String> named = new HashSet<>();
    for (JsonNode standby : waited.path("standbys")) {
      named.add(standby.path("worker_id").asText());
      text.append("  standby ")
          .append(standby.path("worker_id").asText())
          .append(": ")
          .append(standing(standby, waited))
          .append('\n');
    }
    for (JsonNode worker : workers) {
      JsonNode standby = worker.path("standby");
      if (standby.isObject() && !named.contains(worker.path("worker_id").asText())) {
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
