package io.hypersync.cli;

import io.hypersync.cli.command.Output;
import io.hypersync.cli.command.StatusQuery;
import io.hypersync.cli.daemons.Daemons;
import io.hypersync.runtime.admin.RunDirectory;
import java.io.PrintWriter;
import java.nio.channels.spi.SelectorProvider;
import java.util.List;
import java.util.Map;

/**
 * Answers exactly {@code status} and {@code status --json} without picocli. Programs run these
 * again and again, and parsing options would take longer than the answer itself.
 */
final class FastStatus {
  private static final List<String> FOR_PEOPLE = List.of("status");
  private static final List<String> FOR_PROGRAMS = List.of("status", "--json");

  private static final String CHANNELS_OF_THE_JDK = "sun.nio.ch.EPollSelectorProvider";

  private FastStatus() {}

  /** Whether these arguments are one of the two forms, with no further option. */
  static boolean isMeant(List<String> args) {
    return args.equals(FOR_PEOPLE) || args.equals(FOR_PROGRAMS);
  }

  /**
   * Sets the JDK's own selector provider for this process, so that the JDK does not search all jars
   * for another one. Does nothing if this JDK has no provider of that name.
   */
  static void hasten() {
    try {
      var _ = Class.forName(CHANNELS_OF_THE_JDK, false, null).getConstructor();
      System.setProperty(SelectorProvider.class.getName(), CHANNELS_OF_THE_JDK);
    } catch (ReflectiveOperationException another) {
      // The JDK searches the jars: slower, but correct.
    }
  }

  /**
   * Does what the {@code status} command does.
   *
   * @return the exit code
   */
  static int run(
      List<String> args, Map<String, String> environment, PrintWriter out, PrintWriter err) {
    try {
      return StatusQuery.run(
          Daemons.in(RunDirectory.of(environment)), new Output(out, args.equals(FOR_PROGRAMS)));
    } catch (RuntimeException failure) {
      return ErrorReport.onFailure(failure, out, err, args);
    } catch (OutOfMemoryError failure) {
      return ErrorReport.onMemoryUsedUp(failure, out, err, args);
    }
  }
}
