package io.hypersync.cli.support;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** Takes out what is nobody else's business. Pure. */
final class Redaction {
  private static final String LEFT_OUT = "[left out]";

  /** Keys of answers whose texts have names of files in the workspace, or come from files. */
  private static final Set<String> OF_FILES =
      Set.of(
          "path",
          "paths",
          "old_path",
          "other_path",
          "pattern",
          "text",
          "replicated_paths",
          "lost_files",
          "detail",
          "held",
          "conflicting",
          "refusals");

  private static final Pattern PEM =
      Pattern.compile(
          "-----BEGIN [A-Z0-9 ]+-----.*?(-----END [A-Z0-9 ]+-----|\\z)", Pattern.DOTALL);

  /** A secret behind its name, as in settings, headers and command lines. */
  private static final Pattern NAMED =
      Pattern.compile(
          "(?i)(\\b[\\w.-]*(?:token|secret|password|passwd|api[_-]?key|private[_-]?key|credential)s?"
              + "\\b[\"']?\\s*[=:]\\s*[\"']?|\\bbearer\\s+)([^\\s\"',}]+)");

  private static final Pattern IN_ADDRESS = Pattern.compile("(://)[^/@\\s]+@");

  private Redaction() {}

  /** A copy of an answer without names and texts of files, and without secrets. */
  static JsonNode json(JsonNode tree) {
    JsonNode copy = tree.deepCopy();
    clean(copy);
    return copy;
  }

  private static void clean(JsonNode tree) {
    switch (tree) {
      case ObjectNode object -> {
        for (Map.Entry<String, JsonNode> each : object.properties()) {
          JsonNode value = each.getValue();
          if (OF_FILES.contains(each.getKey()) && hasTexts(value)) {
            each.setValue(TextNode.valueOf(LEFT_OUT));
          } else if (value.isTextual()) {
            each.setValue(TextNode.valueOf(text(value.textValue())));
          } else {
            clean(value);
          }
        }
      }
      case ArrayNode array -> {
        for (int i = 0; i < array.size(); i++) {
          JsonNode value = array.get(i);
          if (value.isTextual()) {
            array.set(i, TextNode.valueOf(text(value.textValue())));
          } else {
            clean(value);
          }
        }
      }
      default -> {
        // A number says nothing of a file.
      }
    }
  }

  private static boolean hasTexts(JsonNode value) {
    return value.isTextual() || value.isArray() || value.isObject();
  }

  /** A text without keys, tokens and passwords, by the ways in which they are written. */
  static String text(String text) {
    String without = PEM.matcher(text).replaceAll(LEFT_OUT);
    without = IN_ADDRESS.matcher(without).replaceAll("$1" + LEFT_OUT + "@");
    return NAMED.matcher(without).replaceAll("$1" + LEFT_OUT);
  }
}
