package io.hypersync.cli.render;

import com.fasterxml.jackson.databind.JsonNode;

/** Text output of {@code hypersync log}, from the tree of {@code docs/json.md}. */
public final class LogReport {
  private LogReport() {}

  /** Returns a table of the entries, oldest first. */
  public static String render(JsonNode log) {
    Table table = Table.of(">INDEX", "COMMITTED AT", "WORKER", "OP", "DETAIL", "ROOT");
    for (JsonNode entry : log.path("entries")) {
      table.row(
          entry.path("log_index").asText(),
          entry.path("committed_at").asText(),
          entry.path("worker_id").asText(),
          entry.path("op").asText(),
          entry.path("detail").asText(),
          Quantities.shortHex(entry.path("root").asText()));
    }
    return table.isEmpty() ? "The log is empty.\n" : table.render("");
  }
}
