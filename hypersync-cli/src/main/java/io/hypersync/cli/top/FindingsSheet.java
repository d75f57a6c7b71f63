package io.hypersync.cli.top;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/** What doctor finds. */
final class FindingsSheet {
  private static final List<Column> COLUMNS =
      List.of(
          Column.text(
              "code",
              "CODE",
              "A stable code; docs/doctor.md has a row for each.",
              "To look it up, and for programs.",
              "Never."),
          Column.text(
              "severity",
              "SEVERITY",
              "error: somebody cannot work, or may lose something. warning: not as it should be.",
              "What to do first.",
              "Any error."),
          Column.text(
              "detail",
              "WHAT",
              "What was found; enter says why it matters and what to do.",
              "Each has a remedy.",
              "It comes back after it was mended."));

  private FindingsSheet() {}

  static Sheet of(TopModel model) {
    List<Row> rows = new ArrayList<>();
    for (JsonNode each : model.findings()) {
      List<String> details = new ArrayList<>();
      details.add("why it matters:  " + each.path("why").asText());
      details.add("what to do:      " + each.path("remedy").asText());
      if (each.path("fix").isTextual()) {
        details.add("doctor --fix does: " + each.path("fix").asText());
      }
      rows.add(
          new Row(
              "",
              List.of(
                  Cell.text(each.path("code")),
                  Cell.text(each.path("severity")),
                  Cell.text(each.path("detail"))),
              details));
    }
    List<String> notes = new ArrayList<>();
    if (!model.findingsTrouble().isEmpty()) {
      notes.add("doctor could not look: " + model.findingsTrouble());
    } else if (!model.isExamined()) {
      notes.add("doctor looks for what is wrong on this host ...");
    } else if (rows.isEmpty()) {
      notes.add("Nothing is wrong, as far as this host shows.");
    }
    return Sheet.of(View.FINDINGS, notes, COLUMNS, rows);
  }

  /** How many there are of a severity. */
  static long count(TopModel model, String severity) {
    long count = 0;
    for (JsonNode each : model.findings()) {
      count += each.path("severity").asText().equals(severity) ? 1 : 0;
    }
    return count;
  }
}
