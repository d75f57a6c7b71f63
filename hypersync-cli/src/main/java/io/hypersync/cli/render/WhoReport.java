package io.hypersync.cli.render;

import com.fasterxml.jackson.databind.JsonNode;
import io.hypersync.model.text.Printable;

/** Text output of {@code hypersync who}, from the tree of {@code docs/json.md}. */
public final class WhoReport {
  private WhoReport() {}

  /** Returns a table of the changes, the latest first, and how far back it has looked. */
  public static String render(JsonNode answer) {
    Table table = Table.of(">INDEX", "COMMITTED AT", "AGENT", "WORKER", "OP", "WHAT", "PATH");
    for (JsonNode change : answer.path("changes")) {
      table.row(
          change.path("log_index").asText(),
          change.path("committed_at").asText(),
          change.path("agent").asText().isEmpty() ? "-" : change.path("agent").asText(),
          change.path("worker_id").asText(),
          change.path("op").asText(),
          change.path("what").asText().replace('_', ' '),
          path(change));
    }
    String changes = table.isEmpty() ? "No change was found.\n" : table.render("");
    String missing =
        answer.path("exists").asBoolean(true)
            ? ""
            : "There is no " + text(answer.path("path")) + " now.\n";
    return changes + missing + reach(answer);
  }

  private static String path(JsonNode change) {
    String path = change.path("path").asText("-");
    String other = change.path("other_path").asText("");
    if (other.isEmpty()) {
      return path;
    }
    boolean isAway = change.path("what").asText().equals("moved_away");
    return isAway ? path + " -> " + other : other + " -> " + path;
  }

  private static String text(JsonNode text) {
    return Printable.line(text.asText());
  }

  private static String reach(JsonNode answer) {
    long from = answer.path("searched_from").asLong();
    long oldest = answer.path("oldest_index").asLong();
    StringBuilder text = new StringBuilder();
    if (!answer.path("complete").asBoolean()) {
      text.append("It has looked back to entry ").append(from);
      text.append(
          from > oldest
              ? "; further: --all, or ./hypersync log --path.\n"
              : ", the oldest that is there.\n");
    } else if (from <= oldest && oldest > 1) {
      text.append("The log begins with entry ").append(oldest).append(".\n");
    }
    if (!answer.path("content_known").asBoolean(true)) {
      text.append("Changes of content of what was there earlier may be missing.\n");
    }
    return text.toString();
  }
}
