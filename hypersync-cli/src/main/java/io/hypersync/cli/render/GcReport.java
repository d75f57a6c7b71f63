package io.hypersync.cli.render;

import com.fasterxml.jackson.databind.JsonNode;
import io.hypersync.model.text.Printable;

/** Text output of {@code hypersync gc}, from the tree of {@code docs/json.md}. */
public final class GcReport {
  private GcReport() {}

  /** Returns what the last collection found, and what keeps content besides the newest state. */
  public static String of(JsonNode gc) {
    StringBuilder text = new StringBuilder();
    if (gc.path("running").asBoolean()) {
      String progress = gc.path("progress").asText();
      text.append("A collection is running").append(progress.isEmpty() ? "" : ": " + progress);
      text.append(".\n");
    }
    if (!gc.path("last_failure").isNull()) {
      text.append("The last one has ended: ")
          .append(Printable.line(gc.path("last_failure").asText()))
          .append('\n');
    }
    if (gc.path("max_bytes").isNumber()) {
      text.append("cache_max ")
          .append(bytes(gc, "max_bytes"))
          .append(", taken ")
          .append(bytes(gc, "bytes"))
          .append('\n');
    }
    JsonNode last = gc.path("last");
    if (!last.isObject()) {
      return text.append("No collection has come to its end since the start.\n").toString();
    }
    boolean dry = last.path("dry_run").asBoolean();
    text.append("alive ")
        .append(bytes(last, "bytes_live"))
        .append(", dead ")
        .append(bytes(last, "bytes_dead"))
        .append(dry ? ", a collection would free " : ", freed ")
        .append(bytes(last, "bytes_freed"))
        .append(" in ")
        .append(Quantities.uptime(last.path("took_ms").asLong()))
        .append('\n');
    Table table = Table.of("KEPT BY", ">INDEX", "NAME", "SINCE", ">BYTES");
    for (JsonNode pin : last.path("pins")) {
      if (pin.path("bytes").asLong() > 0) {
        table.row(
            pin.path("kind").asText(),
            pin.path("index").asText(),
            name(pin),
            pin.path("since").asText("").replace("null", ""),
            bytes(pin, "bytes"));
      }
    }
    return table.isEmpty()
        ? text.toString()
        : text.append(table.render(""))
            .append("A snapshot's bytes are those that it keeps, and perhaps older ones.\n")
            .toString();
  }

  /** For the log, why it is kept: of whoever else needs it nothing is said. */
  private static String name(JsonNode pin) {
    String name = Printable.line(pin.path("name").asText());
    return switch (pin.path("reason").asText()) {
      case "snapshot" -> "behind the newest snapshot";
      case "replay_window" -> "replay window";
      case "reader" -> "read now";
      case "install" -> "installed by " + name;
      case "worker" -> "worker " + name;
      default -> name;
    };
  }

  private static String bytes(JsonNode node, String key) {
    return Quantities.bytes(node.path(key).asLong());
  }
}
