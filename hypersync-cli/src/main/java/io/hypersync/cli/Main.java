package io.hypersync.cli;

import io.hypersync.cli.command.ExtraCommand;
import io.hypersync.cli.command.HypersyncCommand;
import io.hypersync.cli.render.PrintableWriter;
import io.hypersync.cli.runtime.DaemonStarter;
import io.hypersync.leader.LeaderDaemon;
import io.hypersync.leader.LeaderDaemonOptions;
import io.hypersync.worker.WorkerDaemon;
import io.hypersync.worker.WorkerDaemonOptions;
import io.hypersync.worker.fuse.dev.ProcessUmask;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;
import picocli.CommandLine;

/** Entry point of the {@code hypersync} command; the launcher of that name starts it. */
public final class Main {
  /** Commands that write what is in a workspace into its state directories. */
  private static final Set<String> KEEPERS = Set.of("leader", "worker", "cut-log");

  private Main() {}

  /** Runs one command and exits with its code. */
  public static void main(String[] args) {
    List<String> words = List.of(args);
    if (PlainStatus.isMeant(words)) {
      PlainStatus.hasten();
      int exitCode =
          PlainStatus.run(words, System.getenv(), writer(System.out), writer(System.err));
      Runtime.getRuntime().halt(exitCode); // all is flushed; exit would look for a log to write to
    }
    String command = args.length == 0 ? "" : args[0];
    if (KEEPERS.contains(command)) {
      ProcessUmask.ownerOnly();
    }
    System.exit(
        commandLine(command, LeaderDaemon::start, WorkerDaemon::start)
            .setOut(writer(System.out))
            .setErr(writer(System.err))
            .execute(args));
  }

  /** All that is written to a terminal goes through one of these. */
  static PrintWriter writer(OutputStream stream) {
    return PrintableWriter.to(stream);
  }

  /**
   * The command line, with its way of telling errors, and these daemons to start. To read what a
   * command takes costs more time than most of them need: only the one that is wanted is read.
   *
   * @param command that is wanted; if there is none of this name, all are there
   */
  static CommandLine commandLine(
      String command,
      DaemonStarter<LeaderDaemonOptions> leader,
      DaemonStarter<WorkerDaemonOptions> worker) {
    CommandLine line = new CommandLine(new HypersyncCommand());
    if (!HypersyncCommand.add(line, command, leader, worker)) {
      HypersyncCommand.addAll(line, leader, worker);
      ServiceLoader.load(ExtraCommand.class).forEach(line::addSubcommand);
    }
    return line.setExecutionStrategy(Main::execute)
        .setExecutionExceptionHandler(ErrorReport::onFailure)
        .setParameterExceptionHandler(ErrorReport::onMisuse)
        .setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF))
        .setUsageHelpAutoWidth(true);
  }

  /** As picocli does, which hands exceptions to its handler, but no errors. */
  private static int execute(CommandLine.ParseResult parsed) {
    try {
      return new CommandLine.RunLast().execute(parsed);
    } catch (OutOfMemoryError failure) {
      CommandLine line = parsed.commandSpec().commandLine();
      return ErrorReport.onMemoryUsedUp(
          failure, line.getOut(), line.getErr(), parsed.originalArgs());
    }
  }
}
