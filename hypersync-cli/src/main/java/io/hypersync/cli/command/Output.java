package io.hypersync.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import java.util.function.Supplier;

/**
 * Where a command writes its result, and for whom.
 *
 * @param json whether programs read it
 */
public record Output(PrintWriter out, boolean json) {

  /** Writes the tree for programs, or the text that comes of it for people. */
  void show(JsonNode tree, Supplier<String> text) {
    if (json) {
      out.println(tree.toPrettyString());
    } else {
      out.print(text.get());
    }
    out.flush();
  }
}
