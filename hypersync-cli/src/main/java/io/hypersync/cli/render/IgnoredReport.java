package io.hypersync.cli.render;

import com.fasterxml.jackson.databind.JsonNode;
import io.hypersync.model.text.Printable;
import java.util.ArrayList;
import java.util.List;

/**
 * What a worker has that no other host sees, since {@code hypersync.ignore} says so (hypersync.md
 * 3), as lines of {@code hypersync status}.
 */
final class IgnoredReport {
  /** Paths that are named; {@code --json} has more. */
  private static final int MOST_PATHS = 3;

  /** Refused lines that are named. */
  private static final int MOST_LINES = 5;

  private IgnoredReport() {}

  static void append(StringBuilder text, JsonNode worker) {
    JsonNode ignored = worker.path("ignored");
    if (!ignored.isObject()) {
      return;
    }
    String id = worker.path("worker_id").asText();
    String least = ignored.path("complete").asBoolean(true) ? "" : "at least ";
    long shown = ignored.path("shown").asLong();
    line(
        text,
        least
            + count(shown, "path of ", "paths of ")
            + id
            + (shown == 1 ? " is" : " are")
            + " local to this host (hypersync.ignore)");
    if (!ignored.path("problem").asText("").isEmpty() && !ignored.path("problem").isNull()) {
      line(text, "hypersync.ignore: " + ignored.path("problem").asText());
    }
    appendRefused(text, ignored);
    appendKept(text, ignored, "hidden", "hidden: no pattern matches any more.");
    appendKept(text, ignored, "shadowed", "behind replicated ones of the same name.");
    appendKept(text, ignored, "orphaned", "left of directories that another host removed.");
    long replicated = ignored.path("replicated").asLong();
    if (replicated > 0) {
      line(
          text,
          (ignored.path("replicated_complete").asBoolean(true) ? "" : "at least ")
              + count(replicated, "path matches", "paths match")
              + " hypersync.ignore and "
              + (replicated == 1 ? "stays" : "stay")
              + " replicated: "
              + named(ignored.path("replicated_paths"), replicated)
              + ". What is removed and made again is local");
    }
  }

  private static void appendRefused(StringBuilder text, JsonNode ignored) {
    int told = 0;
    for (JsonNode refused : ignored.path("refused")) {
      if (told == MOST_LINES) {
        break;
      }
      told++;
      line(
          text,
          "hypersync.ignore, line "
              + refused.path("line").asText()
              + " is not used, "
              + refused.path("reason").asText()
              + ": "
              + refused.path("text").asText());
    }
    long more = ignored.path("refused_lines").asLong() - told;
    if (more > 0) {
      line(text, count(more, "more line", "more lines") + " of hypersync.ignore not used");
    }
  }

  private static void appendKept(
      StringBuilder text, JsonNode ignored, String standing, String meaning) {
    long count = ignored.path(standing).asLong();
    if (count == 0) {
      return;
    }
    List<String> paths = new ArrayList<>();
    for (JsonNode path : ignored.path("paths")) {
      if (standing.equals(path.path("standing").asText()) && paths.size() < MOST_PATHS) {
        paths.add(
            path.path("path").asText()
                + " in "
                + ignored.path("folder").asText()
                + "/"
                + path.path("directory").asText()
                + "/names");
      }
    }
    String more = count > paths.size() ? ", " + (count - paths.size()) + " more" : "";
    line(
        text,
        count(count, "local name is ", "local names are ")
            + meaning
            + (count == 1 ? " It is kept: " : " They are kept: ")
            + String.join(", ", paths)
            + more);
  }

  private static String named(JsonNode paths, long count) {
    List<String> named = new ArrayList<>();
    for (JsonNode path : paths) {
      if (named.size() == MOST_PATHS) {
        break;
      }
      named.add(path.asText());
    }
    return String.join(", ", named)
        + (count > named.size() ? ", " + (count - named.size()) + " more" : "");
  }

  private static String count(long count, String one, String many) {
    return Quantities.count(count) + " " + (count == 1 ? one : many);
  }

  private static void line(StringBuilder text, String line) {
    text.append("  ").append(Printable.line(line)).append('\n');
  }
}
