package io.hypersync.cli.support;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.hypersync.cli.config.Masked;
import java.util.Map;
import java.util.Set;

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
          boolean isSecret = value.isTextual() && Masked.isNameOfSecret(each.getKey());
          if (isSecret || (OF_FILES.contains(each.getKey()) && hasTexts(value))) {
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
    return Masked.text(text, LEFT_OUT);
  }
}
