package io.hypersync.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.model.text.Printable;
import io.hypersync.runtime.admin.UserError;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import picocli.CommandLine;

/**
 * Reports the failure of a command. A {@link UserError} is printed as a sentence and a hint; any
 * other exception is a bug and printed with its stack trace. With {@code --json} the error is
 * written as JSON to standard output, too.
 */
final class ErrorReport {
  /** Exit code of a bug: sysexits.h, EX_SOFTWARE. */
  private static final int BUG = 70;

  private static final String BUG_MESSAGE = "this is a bug in hypersync";

  private ErrorReport() {}

  /** Reports an exception that a command threw; picocli's handler. Returns the exit code. */
  static int onFailure(Exception failure, CommandLine command, CommandLine.ParseResult parsed) {
    return onFailure(failure, command.getOut(), command.getErr(), parsed.originalArgs());
  }

  /** Reports an exception that a command threw; returns the exit code. */
  static int onFailure(Exception failure, PrintWriter out, PrintWriter err, List<String> args) {
    if (failure instanceof UserError error) {
      return report(error, out, err, args);
    }
    err.println("hypersync: " + BUG_MESSAGE + ", please report it:");
    StringWriter trace = new StringWriter();
    failure.printStackTrace(new PrintWriter(trace));
    err.print(Printable.lines(trace.toString()));
    err.flush();
    UserError bug =
        new UserError(
            BUG_MESSAGE + ": " + failure, "Please report it, with the standard error.", BUG);
    writeJson(bug, out, args);
    return BUG;
  }

  /** Reports that a command ran out of heap; returns the exit code. */
  static int onMemoryUsedUp(
      OutOfMemoryError failure, PrintWriter out, PrintWriter err, List<String> args) {
    UserError error =
        new UserError(
            "the memory that this command may take does not suffice: " + failure.getMessage(),
            "Ask for less, or allow it more: HYPERSYNC_JAVA_OPTS=-Xmx4g ./hypersync ...");
    return report(error, out, err, args);
  }

  /** Reports a command line that cannot be parsed; picocli's handler. Returns the exit code. */
  static int onMisuse(CommandLine.ParameterException misuse, String[] args) {
    CommandLine command = misuse.getCommandLine();
    String name = command.getCommandSpec().qualifiedName();
    String see = "See: ./" + name + " --help";
    UserError error =
        UnknownCommand.of(misuse)
            .map(word -> new UserError(word.message(), word.hint() + see, UserError.USAGE))
            .orElseGet(
                () -> new UserError(String.valueOf(misuse.getMessage()), see, UserError.USAGE));
    return report(error, command.getOut(), command.getErr(), List.of(args));
  }

  private static int report(UserError error, PrintWriter out, PrintWriter err, List<String> args) {
    err.println("hypersync: " + Printable.line(error.message()));
    error.hint().lines().forEach(line -> err.println("  " + Printable.line(line)));
    err.flush();
    writeJson(error, out, args);
    return error.exitCode();
  }

  private static void writeJson(UserError error, PrintWriter out, List<String> args) {
    if (!wantsJson(args)) {
      return;
    }
    ObjectNode tree = JsonNodeFactory.instance.objectNode();
    tree.putObject("error")
        .put("message", error.message())
        .put("hint", error.hint())
        .put("exit_code", error.exitCode());
    out.println(tree.toPrettyString());
    out.flush();
  }

  /**
   * Whether {@code --json} was given. Words after {@code --} belong to another program's command
   * line.
   */
  private static boolean wantsJson(List<String> args) {
    int end = args.indexOf("--");
    return (end < 0 ? args : args.subList(0, end)).contains("--json");
  }
}
