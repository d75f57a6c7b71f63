package io.hypersync.cli.render;

import com.fasterxml.jackson.databind.JsonNode;
import io.hypersync.model.text.Printable;
import java.util.ArrayList;
import java.util.List;

/** Text output of {@code hypersync hazards}, from the tree of {@code docs/json.md}. */
public final class HazardsReport {
  private HazardsReport() {}

  /** Returns a table of the entries, oldest first. */
  public static String render(JsonNode found) {
    Table table = Table.of(">INDEX", "COMMITTED AT", "AGENT", "HAZARD", "WITH", "OVER", "PATH");
    for (JsonNode entry : found.path("entries")) {
      for (JsonNode hazard : entry.path("hazards")) {
        table.row(
            entry.path("log_index").asText(),
            entry.path("committed_at").asText(),
            who(entry),
            hazard.path("kind").asText(),
            who(hazard),
            over(hazard),
            path(hazard));
      }
    }
    return table.isEmpty() ? "No hazards.\n" : table.render("");
  }

  /** One entry in one line, for a list that grows. */
  public static String line(JsonNode entry) {
    List<String> hazards = new ArrayList<>();
    for (JsonNode hazard : entry.path("hazards")) {
      String with = isAdvice(hazard) ? ": " : " with " + over(hazard) + " of " + who(hazard) + ": ";
      hazards.add(hazard.path("kind").asText() + with + path(hazard));
    }
    return entry.path("committed_at").asText()
        + "  entry "
        + entry.path("log_index").asText()
        + " by "
        + who(entry)
        + "  "
        + String.join("; ", hazards);
  }

  /** An agent and its worker, as {@code BlueLake@w1}; or the one that is known. */
  private static String who(JsonNode named) {
    String agent = Printable.line(named.path("agent").asText());
    String worker = Printable.line(named.path("worker_id").asText());
    return agent.isEmpty() || worker.isEmpty() ? agent + worker : agent + "@" + worker;
  }

  /** Whether it is a word to its author, and of nobody else. */
  private static boolean isAdvice(JsonNode hazard) {
    return hazard.path("severity").asText().equals("advice");
  }

  /** The earlier entry, or what is reserved. */
  private static String over(JsonNode hazard) {
    if (isAdvice(hazard)) {
      return "";
    }
    String pattern = Printable.line(hazard.path("pattern").asText());
    return pattern.isEmpty() ? "entry " + hazard.path("conflicts_with").asText() : pattern;
  }

  private static String path(JsonNode hazard) {
    String path = Printable.line(hazard.path("path").asText());
    return path.isEmpty() ? "(node " + hazard.path("node").asText() + ")" : path;
  }
}
