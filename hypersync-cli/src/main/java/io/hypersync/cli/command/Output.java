package io.hypersync.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import java.util.function.Supplier;

/**
 * Where and in which format a command writes its result.
 *
 * @param out where the result is written
 * @param json whether it is written as JSON, for programs
 */
public record Output(PrintWriter out, boolean json) {

  /** Writes the tree as JSON, or the text for people. */
  void show(JsonNode tree, Supplier<String> text) {
    if (json) {
      out.println(tree.toPrettyString());
    } else {
      out.print(text.get());
    }
    out.flush();
  }

  /** Writes one line, at once. */
  void line(String text) {
    out.println(text);
    out.flush();
  }
}
