package io.hypersync.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import java.util.function.Supplier;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The option {@code --json}, and the standard output and error of a command. */
final class Screen {
  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec = CommandSpec.create();

  @Option(names = "--json", description = "Write JSON, as docs/json.md describes it.")
  private boolean json;

  /** Writes the tree as JSON, or the text for people, to standard output. */
  void show(JsonNode tree, Supplier<String> text) {
    output().show(tree, text);
  }

  /** Returns standard output with the chosen format. */
  Output output() {
    return new Output(spec.commandLine().getOut(), json);
  }

  boolean isJson() {
    return json;
  }

  /**
   * Prints a line to standard error: progress, or a problem that does not make the command fail.
   */
  void tell(String line) {
    PrintWriter err = spec.commandLine().getErr();
    err.println(line);
    err.flush();
  }
}
