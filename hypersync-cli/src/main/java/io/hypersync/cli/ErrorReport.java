package io.hypersync.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.model.text.Printable;
import io.hypersync.wire.admin.UserError;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import picocli.CommandLine;

/**
 * How a command tells that it failed. A user's mistake is a sentence and what to do about it; a
 * stack trace means a bug. With {@code --json} the error is JSON on standard output too.
 */
final class ErrorReport {
  /** Exit code of a bug: sysexits.h, EX_SOFTWARE. */
  private static final int BUG = 70;

  private static final String BUG_MESSAGE = "this is a bug in hypersync";

  private ErrorReport() {}

  /** A command threw; picocli's handler. */
  static int onFailure(Exception failure, CommandLine command, CommandLine.ParseResult parsed) {
    return onFailure(failure, command.getOut(), command.getErr(), parsed.originalArgs());
  }

  /** A command threw. */
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

  /** A command needed more memory than this process may take. */
  static int onMemoryUsedUp(
      OutOfMemoryError failure, PrintWriter out, PrintWriter err, List<String> args) {
    UserError error =
        new UserError(
            "the memory that this command may take does not suffice: " + failure.getMessage(),
            "Ask for less, or allow it more: HYPERSYNC_JAVA_OPTS=-Xmx4g ./hypersync ...");
    return report(error, out, err, args);
  }

  /** The command line makes no sense; picocli's handler. */
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

  /** What comes after {@code --} are words of another command. */
  private static boolean wantsJson(List<String> args) {
    int end = args.indexOf("--");
    return (end < 0 ? args : args.subList(0, end)).contains("--json");
  }
}
