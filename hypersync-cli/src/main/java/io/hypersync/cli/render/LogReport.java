package io.hypersync.cli.render;

import com.fasterxml.jackson.databind.JsonNode;

/** Text output of {@code hypersync log}, from the tree of {@code docs/json.md}. */
public final class LogReport {
  private LogReport() {}

  /**
   * Returns a table of the entries, oldest first; with their paths if they have them.
   *
   * @param some whether not all entries were asked for
   */
  public static String render(JsonNode log, boolean some) {
    Table table = Table.of(">INDEX", "COMMITTED AT", "WORKER", "AGENT", "OP", "DETAIL", "ROOT");
    for (JsonNode entry : log.path("entries")) {
      table.row(
          entry.path("log_index").asText(),
          entry.path("committed_at").asText(),
          entry.path("worker_id").asText(),
          entry.path("agent").asText().isEmpty() ? "-" : entry.path("agent").asText(),
          entry.path("op").asText(),
          detail(entry),
          Quantities.shortHex(entry.path("root").asText()));
    }
    if (!table.isEmpty()) {
      return table.render("");
    }
    return some ? none(log) : "The log is empty.\n";
  }

  private static String detail(JsonNode entry) {
    String path = entry.path("path").asText();
    String detail = entry.path("detail").asText();
    return path.isEmpty() ? detail : path + "  (" + detail + ")";
  }

  private static String none(JsonNode log) {
    return "There is no such entry; the log has entries from "
        + log.path("oldest_index").asText()
        + " to "
        + log.path("commit_index").asText()
        + ". Without --since the newest 100,000 are looked at.\n";
  }
}
