package io.hypersync.cli.render;

import com.fasterxml.jackson.databind.JsonNode;

/** Text output of {@code hypersync log}, from the tree of {@code docs/json.md}. */
public final class LogReport {
  private LogReport() {}

  /**
   * Returns a table of the entries, oldest first.
   *
   * @param some whether only the entries of one agent were asked for
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
          entry.path("detail").asText(),
          Quantities.shortHex(entry.path("root").asText()));
    }
    if (!table.isEmpty()) {
      return table.render("");
    }
    return some ? "No entry of the newest 100,000 is of that agent.\n" : "The log is empty.\n";
  }
}
