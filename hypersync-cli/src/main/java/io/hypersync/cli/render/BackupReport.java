package io.hypersync.cli.render;

import com.fasterxml.jackson.databind.JsonNode;
import io.hypersync.model.text.Printable;

/** Text output of {@code hypersync backup}, from the trees of {@code docs/json.md}. */
public final class BackupReport {
  private BackupReport() {}

  /** Returns a line about a backup that is done. */
  public static String done(JsonNode run) {
    return "Backed up entry "
        + run.path("index").asText()
        + " into "
        + Printable.line(run.path("dir").asText())
        + ": "
        + figures(run)
        + ", in "
        + Quantities.uptime(run.path("took_ms").asLong())
        + "\n";
  }

  /** Returns how far a backup is, in a line. */
  public static String progress(JsonNode current) {
    return current.path("index").isNull()
        ? "it begins"
        : "entry " + current.path("index").asText() + ": " + figures(current);
  }

  /** Returns what the leader does, and what it has done last. */
  public static String status(JsonNode status) {
    StringBuilder text = new StringBuilder();
    JsonNode current = status.path("current");
    if (current.isObject()) {
      text.append("A backup into ")
          .append(Printable.line(current.path("dir").asText()))
          .append(" is under way: ")
          .append(progress(current))
          .append('\n');
    }
    for (JsonNode run : status.path("runs")) {
      if (run.path("failure").isNull()) {
        text.append(done(run));
      } else {
        text.append("A backup into ")
            .append(Printable.line(run.path("dir").asText()))
            .append(" was given up: ")
            .append(Printable.line(run.path("failure").asText()))
            .append('\n');
      }
    }
    return text.isEmpty() ? "No backup was made since the leader started.\n" : text.toString();
  }

  /** Returns a table of the states in a backup, oldest first. */
  public static String list(JsonNode tree) {
    StringBuilder text = new StringBuilder(head(tree));
    Table table =
        Table.of(">INDEX", "TAKEN AT", "LAST CHANGE", "NAME", ">NODES", ">BYTES", ">COPIED");
    for (JsonNode state : tree.path("states")) {
      table.row(
          state.path("index").asText(),
          state.path("taken_at").asText(),
          state.path("changed_at").asText(),
          state.path("name").asText(),
          Quantities.count(state.path("nodes").asLong()),
          Quantities.bytes(state.path("file_bytes").asLong()),
          Quantities.bytes(state.path("copied_bytes").asLong()));
    }
    text.append(table.isEmpty() ? "There is no complete state yet.\n" : table.render(""));
    unreadable(tree, text);
    return text.toString();
  }

  /** Returns what a check has found. */
  public static String verified(JsonNode tree) {
    StringBuilder text = new StringBuilder(head(tree));
    long states = tree.path("states").asLong();
    text.append(Quantities.count(states))
        .append(states == 1 ? " state: " : " states: ")
        .append(count(tree, "chunks"))
        .append(" chunks and ")
        .append(count(tree, "pages"))
        .append(" pages read, ")
        .append(Quantities.bytes(tree.path("bytes_read").asLong()))
        .append('\n');
    if (tree.path("bad").asLong() > 0) {
      Table items = Table.of("BAD", "HASH", ">IN STATE", "WHY");
      for (JsonNode item : tree.path("bad_items")) {
        items.row(
            item.path("kind").asText(),
            item.path("hash").asText(),
            item.path("index").asText(),
            item.path("why").asText());
      }
      text.append(items.render(""));
      long more = tree.path("bad").asLong() - tree.path("bad_items").size();
      if (more > 0) {
        text.append("and ").append(Quantities.count(more)).append(" more\n");
      }
      text.append("What the leader still has it copies again: ./hypersync backup <dir> --repair\n");
    }
    unreadable(tree, text);
    if (tree.path("bad").asLong() == 0 && tree.path("unreadable").isEmpty()) {
      text.append("all is well\n");
    }
    return text.toString();
  }

  private static String head(JsonNode tree) {
    return "Workspace "
        + Printable.line(tree.path("workspace_name").asText())
        + " ("
        + tree.path("workspace").asText()
        + "), backed up since "
        + tree.path("begun_at").asText()
        + "\n";
  }

  private static void unreadable(JsonNode tree, StringBuilder text) {
    for (JsonNode index : tree.path("unreadable")) {
      text.append("The record of the state of entry ")
          .append(index.asText())
          .append(" is damaged.\n");
    }
  }

  private static String figures(JsonNode figures) {
    return count(figures, "chunks")
        + " chunks and "
        + count(figures, "pages")
        + " pages, of which "
        + Quantities.count(
            figures.path("copied_chunks").asLong() + figures.path("copied_pages").asLong())
        + " copied, "
        + Quantities.bytes(figures.path("copied_bytes").asLong());
  }

  private static String count(JsonNode node, String key) {
    return Quantities.count(node.path(key).asLong());
  }
}
