package io.hypersync.cli.top;

import com.fasterxml.jackson.databind.JsonNode;
import io.hypersync.cli.render.Quantities;
import java.util.ArrayList;
import java.util.List;

/** Locks of all hosts, those that wait first; where the leader is on this one. */
final class LocksSheet {
  private static final List<Column> COLUMNS =
      List.of(
          Column.text(
              "state",
              "STATE",
              "waits or holds.",
              "Who waits does nothing else.",
              "One waits for long."),
          Column.text(
              "owner",
              "OWNER",
              "The process, and the worker of its host.",
              "There you can look at it: ps, or hypersync log.",
              "It is a process that should have ended."),
          Column.text(
              "waits_for",
              "WAITS FOR",
              "Who holds what it wants; of several the first ones.",
              "The holder is the one to look at.",
              "It does not change."),
          Column.text(
              "kind",
              "KIND",
              "flock (a whole file) or fcntl (bytes of it); shared or exclusive.",
              "Exclusive ones keep everybody else out.",
              "Never."),
          Column.number(
              "inode",
              "INODE",
              "Number of the file, the same on all hosts.",
              "find <mount> -xdev -inum <number> names it.",
              "All wait for the same one."),
          Column.text(
              "range",
              "BYTES",
              "Which bytes of the file; all for a flock.",
              "Databases lock single bytes.",
              "Never."));

  private LocksSheet() {}

  static Sheet of(TopModel model) {
    List<Row> rows = new ArrayList<>();
    List<String> notes = new ArrayList<>();
    for (Watched leader : model.known("leader")) {
      JsonNode answer = leader.answer(Question.LOCKS);
      JsonNode counts = leader.status().path("locks");
      notes.add(
          model.nameOf(leader.workspace())
              + ": "
              + Quantities.count(counts.path("held").asLong())
              + " held, "
              + Quantities.count(counts.path("waiting").asLong())
              + " wait, "
              + Quantities.count(counts.path("deadlocks").asLong())
              + " deadlocks refused, "
              + Quantities.count(counts.path("expired").asLong())
              + " lost with their lease"
              + (answer.path("complete").asBoolean(true) ? "" : "; not all are listed"));
      String refusal = leader.refusal(Question.LOCKS);
      if (!refusal.isEmpty()) {
        notes.add(leader.name() + ": " + refusal);
      }
      for (JsonNode lock : answer.path("locks")) {
        rows.add(row(leader, lock));
      }
    }
    if (model.known("leader").isEmpty()) {
      notes.add("Locks are with the leader: look at them on its host.");
    }
    return Sheet.of(View.LOCKS, notes, COLUMNS, rows);
  }

  private static Row row(Watched leader, JsonNode lock) {
    List<String> blockers = new ArrayList<>();
    lock.path("waits_for").forEach(each -> blockers.add(owner(each)));
    List<String> details = new ArrayList<>();
    details.add("which file:  find <mount> -xdev -inum " + lock.path("inode").asText());
    blockers.forEach(each -> details.add("waits for " + each));
    return new Row(
        leader.workspace(),
        List.of(
            Cell.text(lock.path("held").asBoolean() ? "holds" : "waits"),
            Cell.text(owner(lock)),
            blockers.isEmpty()
                ? Cell.NONE
                : Cell.text(
                    blockers.getFirst()
                        + (blockers.size() > 1 ? " and " + (blockers.size() - 1) + " more" : "")),
            Cell.text(lock.path("space").asText() + " " + lock.path("mode").asText()),
            lock.path("inode").isNumber()
                ? new Cell(lock.path("inode"), lock.path("inode").asText())
                : Cell.NONE,
            Cell.text(range(lock))),
        details);
  }

  private static String owner(JsonNode lock) {
    return lock.path("pid").asText() + "@" + lock.path("worker_id").asText();
  }

  private static String range(JsonNode lock) {
    if (lock.path("last").isNull() && lock.path("first").asLong() == 0) {
      return "all";
    }
    return lock.path("first").asText()
        + " to "
        + (lock.path("last").isNull() ? "the end" : lock.path("last").asText());
  }
}
