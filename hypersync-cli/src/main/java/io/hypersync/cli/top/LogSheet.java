package io.hypersync.cli.top;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The newest entries of the log, the newest first; where the leader is on this host. */
final class LogSheet {
  private static final int TIME_BEGINS = "2026-11-28T".length();
  private static final int TIME_ENDS = "2026-11-28T14:03:22.123".length();

  private static final List<Column> COLUMNS =
      List.of(
          Column.number(
              "log_index",
              "INDEX",
              "The number of the entry, without gaps.",
              "The one order in which everything has happened.",
              "Never."),
          Column.text(
              "committed_at",
              "TIME",
              "When it became durable, in UTC, by the leader's clock.",
              "When something has happened.",
              "The newest is old, and agents work."),
          Column.text(
              "agent",
              "AGENT",
              "Who made the change, and on which worker.",
              "Whom to ask.",
              "It is nobody that should work there."),
          Column.text("op", "OP", "What was done.", "To understand what agents do.", "Never."),
          Column.text(
              "detail",
              "WHAT",
              "What it is about, as the log says it: nodes by their ids, names in directories.",
              "hypersync log --path shows paths.",
              "Never."),
          Column.text(
              "hazards",
              "HAZARD",
              "Kinds of overlaps with the work of others.",
              "See conflicts.",
              "Any."));

  private LogSheet() {}

  static Sheet of(TopModel model) {
    List<Row> rows = new ArrayList<>();
    List<String> notes = new ArrayList<>();
    for (Watched leader : model.known("leader")) {
      for (JsonNode entry : leader.entries()) {
        rows.add(row(leader, entry));
      }
      String refusal = leader.refusal(Question.LOG);
      if (!refusal.isEmpty()) {
        notes.add(leader.name() + ": " + refusal);
      }
    }
    Collections.reverse(rows);
    if (model.known("leader").isEmpty()) {
      notes.add("The log is with the leader: look at it on its host.");
    }
    return Sheet.of(View.LOG, notes, COLUMNS, rows);
  }

  private static Row row(Watched leader, JsonNode entry) {
    List<String> kinds = new ArrayList<>();
    entry.path("hazards").forEach(each -> kinds.add(each.path("kind").asText()));
    String time = entry.path("committed_at").asText();
    Cell when =
        new Cell(
            entry.path("committed_at"),
            time.length() >= TIME_ENDS
                ? Cell.text(time.substring(TIME_BEGINS, TIME_ENDS)).text()
                : Cell.text(time).text());
    return new Row(
        leader.workspace(),
        List.of(
            new Cell(entry.path("log_index"), entry.path("log_index").asText()),
            when,
            Cell.text(ConflictsSheet.who(entry)),
            Cell.text(entry.path("op")),
            Cell.text(entry.path("detail")),
            kinds.isEmpty() ? Cell.NONE : Cell.text(String.join(" ", kinds))),
        List.of(
            "committed at " + time,
            "intent " + entry.path("seq_no").asText() + " of " + entry.path("client_id").asText(),
            "root " + entry.path("root").asText()));
  }
}
