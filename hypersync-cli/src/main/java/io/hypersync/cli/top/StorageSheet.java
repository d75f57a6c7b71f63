package io.hypersync.cli.top;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/** What takes space on this host, and what keeps it. */
final class StorageSheet {
  private static final List<Column> COLUMNS =
      List.of(
          Column.text(
              "daemon", "DAEMON", "Whose disk it is.", "Each keeps a copy of its own.", "Never."),
          Column.text(
              "what",
              "WHAT",
              "files, log, chunks; or a pin: what keeps content that the newest state has not.",
              "What nothing keeps is removed by the next collection.",
              "A pin that nobody needs."),
          Column.number(
              "bytes",
              "BYTES",
              "What it takes; of a pin, what goes when the pin goes.",
              "A full disk ends all writes with ENOSPC.",
              "Chunks grow, and files do not."),
          Column.text(
              "name",
              "KEPT BY",
              "The name of a snapshot, or the workers that need it.",
              "Who to ask before it is removed.",
              "Nobody knows it."),
          Column.text(
              "since",
              "SINCE",
              "Since when it is kept.",
              "Old pins keep much.",
              "More than a week: doctor says so, too."));

  private StorageSheet() {}

  static Sheet of(TopModel model) {
    List<Row> rows = new ArrayList<>();
    List<String> notes = new ArrayList<>();
    for (Watched leader : model.known("leader")) {
      JsonNode status = leader.status();
      plain(rows, leader, "files", status.path("bytes"), "what people see");
      plain(rows, leader, "log", status.path("log_bytes"), "allocated ahead of use");
      plain(rows, leader, "chunks", status.path("chunk_bytes"), "content, each once");
      JsonNode last = status.path("gc").path("last");
      plain(rows, leader, "live", last.path("bytes_live"), "as the last collection has found");
      plain(rows, leader, "dead", last.path("bytes_dead"), "what it has removed, or may");
      for (JsonNode pin : last.path("pins")) {
        rows.add(pin(leader, pin));
      }
      JsonNode failure = status.path("gc").path("last_failure");
      if (failure.isTextual()) {
        notes.add(leader.name() + ": the last collection has failed: " + failure.asText());
      }
      if (!last.isObject()) {
        notes.add(leader.name() + ": nothing was collected yet: hypersync gc --run");
      }
    }
    for (Watched worker : model.known("worker")) {
      JsonNode cache = worker.status().path("chunk_cache");
      String limit =
          cache.path("max_bytes").isNumber()
              ? "of " + Cell.bytes(cache.path("max_bytes")).text()
              : "no limit (cache_max)";
      plain(rows, worker, "chunks", cache.path("bytes"), limit);
    }
    return Sheet.of(View.STORAGE, notes, COLUMNS, rows);
  }

  private static void plain(
      List<Row> rows, Watched daemon, String what, JsonNode bytes, String about) {
    if (bytes.isNumber()) {
      rows.add(
          new Row(
              daemon.workspace(),
              List.of(
                  Cell.text(daemon.name()),
                  Cell.text(what),
                  Cell.bytes(bytes),
                  Cell.NONE,
                  Cell.NONE),
              List.of(about)));
    }
  }

  private static Row pin(Watched leader, JsonNode pin) {
    String kind = pin.path("kind").asText();
    String name = pin.path("name").asText("");
    List<String> details = new ArrayList<>();
    if (pin.path("index").isNumber()) {
      details.add("state of entry " + pin.path("index").asText());
    }
    if (pin.path("reason").isTextual()) {
      details.add("because of " + pin.path("reason").asText());
    }
    if (kind.equals("snapshot")) {
      details.add(
          "remove it: ./hypersync snapshot rm "
              + (name.isEmpty() ? pin.path("index").asText() : Commands.quoted(name)));
    }
    return new Row(
        leader.workspace(),
        List.of(
            Cell.text(leader.name()),
            Cell.text("pin: " + kind),
            Cell.bytes(pin.path("bytes")),
            name.isEmpty() ? Cell.NONE : Cell.text(name),
            Cell.text(pin.path("since"))),
        details);
  }
}
