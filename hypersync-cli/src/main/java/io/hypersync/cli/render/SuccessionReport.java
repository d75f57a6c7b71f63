package io.hypersync.cli.render;

import com.fasterxml.jackson.databind.JsonNode;
import io.hypersync.model.text.Printable;

/** How a worker's process has come to serve its mount, for people; nothing for the first one. */
final class SuccessionReport {
  private SuccessionReport() {}

  static void append(StringBuilder text, JsonNode worker) {
    JsonNode succession = worker.path("succession");
    if (succession.isObject()) {
      text.append("  ")
          .append(Printable.line(worker.path("mount").asText()))
          .append(" is served by its process number ")
          .append(Quantities.count(worker.path("generation").asLong()))
          .append(" (version ")
          .append(Printable.line(worker.path("version").asText("?")))
          .append("); the one before ")
          .append(how(succession.path("how").asText()))
          .append(", the pause was ")
          .append(Quantities.count(succession.path("pause_ms").asLong()))
          .append(" ms\n");
    }
    String failure = worker.path("restart_failed").asText("");
    if (!failure.isEmpty() && !worker.path("restart_failed").isNull()) {
      text.append("  the last restart of ")
          .append(Printable.line(worker.path("mount").asText()))
          .append(" did not come about: ")
          .append(Printable.line(failure))
          .append('\n');
    }
  }

  private static String how(String how) {
    return switch (how) {
      case "handed_over" -> "handed over";
      case "fell_back" -> "handed over to one that ended before it served";
      default -> "has died";
    };
  }
}
