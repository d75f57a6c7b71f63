package io.hypersync.cli.top;

import com.fasterxml.jackson.databind.JsonNode;
import io.hypersync.cli.profile.LocalCandidates;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The paths that change most, while the view is shown, and which should be local. */
final class HotSheet {
  private static final int HINTS = 3;

  private static final List<Column> COLUMNS =
      List.of(
          Column.text(
              "worker",
              "WORKER",
              "On whose mount; mounts of this host only.",
              "Each host has paths that it changes most.",
              "Never."),
          Column.text(
              "path",
              "PATH",
              "What changes, as seen from the root of the workspace.",
              "Every change goes to the leader's disk and to all hosts.",
              "It is a cache, or what a build makes."),
          Column.number(
              "changes_per_s",
              "CHANGES/S",
              "Changes in a second, over the last seconds.",
              "What it costs everybody.",
              "Some hundred for one path."),
          Column.number(
              "bytes_per_s",
              "BYTES/S",
              "Bytes written in a second.",
              "They travel to every host, and are kept as long as snapshots need them.",
              "More than your network carries."),
          Column.text(
              "hint",
              "LOCAL?",
              "Whether it is in a directory that tools can make again, or whose files come and go.",
              "What is local costs nothing: /ntmfs/local, or a line in hypersync.ignore.",
              "It says something: move that directory."));

  private HotSheet() {}

  static Sheet of(TopModel model) {
    List<Row> rows = new ArrayList<>();
    List<String> notes = new ArrayList<>();
    for (Watched worker : model.known("worker")) {
      String refusal = worker.refusal(Question.HOT);
      if (!refusal.isEmpty()) {
        notes.add(worker.name() + ": " + refusal);
      }
      JsonNode report = worker.answer(Question.HOT);
      double seconds = report.path("seconds").asDouble();
      if (seconds <= 0) {
        continue;
      }
      long changes = 0;
      for (JsonNode count : report.path("ops")) {
        changes += count.asLong();
      }
      JsonNode local = LocalCandidates.of(report.path("directories"), changes);
      for (JsonNode hint : local) {
        if (notes.size() < HINTS) {
          notes.add(hint(hint));
        }
      }
      for (JsonNode path : report.path("paths")) {
        rows.add(row(worker, path, local, seconds));
      }
    }
    if (rows.isEmpty() && notes.isEmpty()) {
      notes.add("Nothing has changed on the mounts of this host in the last seconds.");
    }
    rows.sort(
        Comparator.comparingDouble((Row row) -> row.cells().get(2).value().asDouble()).reversed());
    return Sheet.of(View.HOT, notes, COLUMNS, rows);
  }

  private static String hint(JsonNode hint) {
    return hint.path("path").asText()
        + ": "
        + Math.round(100 * hint.path("share").asDouble())
        + "% of all changes, "
        + hint.path("why").asText()
        + "; keep it local by "
        + hint.path("how").asText();
  }

  private static Row row(Watched worker, JsonNode path, JsonNode local, double seconds) {
    String name = path.path("path").asText();
    String hint = "";
    for (JsonNode each : local) {
      String directory = each.path("path").asText();
      if (name.equals(directory) || name.startsWith(directory + "/")) {
        hint = directory;
      }
    }
    List<String> details =
        hint.isEmpty()
            ? List.of()
            : List.of("keep " + hint + " local: a line in hypersync.ignore, or /ntmfs/local");
    return new Row(
        worker.workspace(),
        List.of(
            Cell.text(worker.status().path("worker_id")),
            Cell.text(name),
            Cell.rate(path.path("mutations").asLong() / seconds),
            Cell.bytes(Math.round(path.path("bytes").asLong() / seconds)),
            hint.isEmpty() ? Cell.NONE : Cell.text("local: " + hint)),
        details);
  }
}
