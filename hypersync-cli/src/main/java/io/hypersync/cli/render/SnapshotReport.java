package io.hypersync.cli.render;

import com.fasterxml.jackson.databind.JsonNode;
import io.hypersync.model.text.Printable;

/** Text output of {@code hypersync snapshot}, from the tree of {@code docs/json.md}. */
public final class SnapshotReport {
  private SnapshotReport() {}

  /** Returns a table of the snapshots, oldest first. */
  public static String list(JsonNode answer) {
    Table table = Table.of(">INDEX", "TAKEN AT", "NAME", "KEPT", ">PAGES", ">WRITTEN", "MANIFEST");
    for (JsonNode snapshot : answer.path("snapshots")) {
      table.row(
          snapshot.path("index").asText(),
          snapshot.path("taken_at").asText(),
          snapshot.path("name").asText(),
          kept(snapshot),
          Quantities.count(snapshot.path("pages_written").asLong()),
          Quantities.bytes(snapshot.path("bytes_written").asLong()),
          Quantities.shortHex(snapshot.path("manifest").asText()));
    }
    return table.isEmpty() ? "There are no snapshots yet.\n" : table.render("");
  }

  private static String kept(JsonNode snapshot) {
    if (snapshot.path("pinned").asBoolean()) {
      return "pinned";
    }
    return snapshot.path("name").asText().isEmpty() ? "" : "named";
  }

  /** Returns a line about the snapshot that something was done with. */
  public static String one(String action, JsonNode snapshot) {
    String which = "snapshot of entry " + snapshot.path("index").asText();
    String name = Printable.line(snapshot.path("name").asText());
    String called = name.isEmpty() ? which : which + " (" + name + ")";
    return switch (action) {
      case "pin" -> called + " is kept until it is unpinned\n";
      case "unpin" -> called + " is pinned no longer\n";
      case "rm" -> called + " is removed\n";
      case "verify" ->
          called
              + " is whole: "
              + Quantities.count(snapshot.path("nodes").asLong())
              + " nodes, root "
              + Quantities.shortHex(snapshot.path("root").asText())
              + "\n";
      default ->
          called
              + ": "
              + Quantities.count(snapshot.path("pages_written").asLong())
              + " pages, "
              + Quantities.bytes(snapshot.path("bytes_written").asLong())
              + " written\n";
    };
  }
}
