package io.hypersync.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import java.util.function.Supplier;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Where a command writes, and whether for people or for programs. */
final class Screen {
  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec = CommandSpec.create();

  @Option(names = "--json", description = "Write JSON, as docs/json.md describes it.")
  private boolean json;

  /** Writes the tree for programs, or the text that comes of it for people. */
  void show(JsonNode tree, Supplier<String> text) {
    output().show(tree, text);
  }

  /** What it writes to. */
  Output output() {
    return new Output(spec.commandLine().getOut(), json);
  }

  /** Whether programs read the result. */
  boolean isJson() {
    return json;
  }

  /** Says something beside the result, to people: how far it is, or what went wrong aside. */
  void tell(String line) {
    PrintWriter err = spec.commandLine().getErr();
    err.println(line);
    err.flush();
  }
}
