package io.hypersync.cli.render;

import com.fasterxml.jackson.databind.JsonNode;
import io.hypersync.model.text.Printable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Text output of {@code hypersync diff}, from the tree of {@code docs/json.md}. */
public final class DiffReport {
  private DiffReport() {}

  /** Returns a line for each change, and one that counts them. */
  public static String render(JsonNode answer) {
    StringBuilder text = new StringBuilder();
    Map<String, Integer> counts = new TreeMap<>();
    for (JsonNode change : answer.path("changes")) {
      String kind = change.path("change").asText();
      counts.merge(kind, 1, Integer::sum);
      text.append(String.format("%-8s  ", Printable.line(kind))).append(paths(change));
      List<String> aspects = new ArrayList<>();
      change.path("aspects").forEach(aspect -> aspects.add(aspect.asText()));
      if (!aspects.isEmpty()) {
        text.append("  (").append(Printable.line(String.join(", ", aspects))).append(')');
      }
      text.append('\n');
    }
    List<String> parts = new ArrayList<>();
    counts.forEach((kind, count) -> parts.add(Quantities.count(count) + " " + kind));
    text.append("From entry ")
        .append(answer.path("from_index").asText())
        .append(" to entry ")
        .append(answer.path("to_index").asText())
        .append(": ")
        .append(parts.isEmpty() ? "no difference" : String.join(", ", parts));
    if (!answer.path("complete").asBoolean(true)) {
      text.append(", and more: ")
          .append(Quantities.count(answer.path("differing_nodes").asLong()))
          .append(" nodes differ in all (--limit, --path)");
    }
    return text.append('\n').toString();
  }

  private static String paths(JsonNode change) {
    String path = path(change, "path");
    return change.has("old_path") ? path(change, "old_path") + " -> " + path : path;
  }

  private static String path(JsonNode change, String key) {
    String path = Printable.line(change.path(key).asText());
    return change.path("type").asText().equals("directory") && !path.equals(".")
        ? path + "/"
        : path;
  }
}
