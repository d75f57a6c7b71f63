package io.hypersync.cli.top;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Overlaps of the work of different agents, the newest first. */
final class ConflictsSheet {
  private static final List<Column> COLUMNS =
      List.of(
          Column.number(
              "log_index",
              "INDEX",
              "The entry of the log that overlaps.",
              "By this number everything about it can be asked: log, diff, undo.",
              "Never."),
          Column.text(
              "agent",
              "AGENT",
              "Who made it, and on which worker.",
              "It is the one who came second.",
              "It is the same one again and again."),
          Column.text(
              "kind",
              "HAZARD",
              "What kind of overlap it is: hypersync hazards --help has them.",
              "destroyed_work and stale_overwrite lose somebody's work.",
              "Each destroyed_work."),
          Column.text(
              "with",
              "WITH",
              "Whose work it is about, or who has reserved the path.",
              "That agent does not know it, unless it was told.",
              "Never."),
          Column.text(
              "path",
              "PATH",
              "What both have changed.",
              "Here somebody has to look.",
              "It is not the work of both that is there."));

  private ConflictsSheet() {}

  /** Leaders, and workers whose leader is not here: each overlap is told once. */
  static List<Watched> sources(TopModel model) {
    Set<String> led =
        model.known("leader").stream().map(Watched::workspace).collect(Collectors.toSet());
    List<Watched> found = new ArrayList<>(model.known("leader"));
    Set<String> told = new HashSet<>(led);
    for (Watched worker : model.known("worker")) {
      if (told.add(worker.workspace())) {
        found.add(worker);
      }
    }
    return found;
  }

  static Sheet of(TopModel model) {
    List<Row> rows = new ArrayList<>();
    List<String> notes = new ArrayList<>();
    for (Watched daemon : sources(model)) {
      for (JsonNode entry : daemon.hazards()) {
        for (JsonNode hazard : entry.path("hazards")) {
          rows.add(row(daemon, entry, hazard));
        }
      }
      String refusal = daemon.refusal(Question.HAZARDS);
      if (!refusal.isEmpty()) {
        notes.add(daemon.name() + ": " + refusal);
      }
    }
    rows.sort(
        Comparator.comparingLong((Row row) -> row.cells().getFirst().value().asLong()).reversed());
    return Sheet.of(View.CONFLICTS, notes, COLUMNS, rows);
  }

  private static Row row(Watched daemon, JsonNode entry, JsonNode hazard) {
    long index = entry.path("log_index").asLong();
    String agent = entry.path("agent").asText();
    String path = hazard.path("path").asText();
    List<String> details = new ArrayList<>();
    details.add("committed at " + entry.path("committed_at").asText());
    if (hazard.path("conflicts_with").isNumber()) {
      details.add("overlaps with entry " + hazard.path("conflicts_with").asText());
    }
    if (!hazard.path("pattern").asText().isEmpty()) {
      details.add("reserved: " + hazard.path("pattern").asText());
    }
    if (!path.isEmpty()) {
      details.add("who has changed it:  ./hypersync who " + Commands.quoted(path));
    }
    details.add("what was before:     ./hypersync diff " + Math.max(0, index - 1) + " " + index);
    if (!agent.isEmpty()) {
      details.add(
          "what an undo would do: ./hypersync undo --agent "
              + Commands.quoted(agent)
              + " --since "
              + index
              + "   (--yes does it)");
    }
    return new Row(
        daemon.workspace(),
        List.of(
            Cell.count(index),
            Cell.text(who(entry)),
            Cell.text(hazard.path("kind")),
            Cell.text(who(hazard)),
            Cell.text(path.isEmpty() ? "(node " + hazard.path("node").asText() + ")" : path)),
        details);
  }

  /** An agent and its worker, as {@code BlueLake@w1}; or the one that is known. */
  static String who(JsonNode named) {
    String agent = named.path("agent").asText();
    String worker = named.path("worker_id").asText();
    return agent.isEmpty() || worker.isEmpty() ? agent + worker : agent + "@" + worker;
  }
}
