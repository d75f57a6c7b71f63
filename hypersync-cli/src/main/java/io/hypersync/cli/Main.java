package io.hypersync.cli;

import io.hypersync.cli.command.ExtraCommand;
import io.hypersync.cli.command.HypersyncCommand;
import io.hypersync.cli.render.PrintableWriter;
import io.hypersync.cli.render.ProgramName;
import io.hypersync.cli.robot.Robot;
import io.hypersync.cli.runtime.DaemonStarter;
import io.hypersync.leader.LeaderDaemon;
import io.hypersync.leader.LeaderDaemonOptions;
import io.hypersync.worker.WorkerDaemon;
import io.hypersync.worker.WorkerDaemonOptions;
import io.hypersync.worker.fuse.dev.ProcessUmask;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;
import picocli.CommandLine;

/** Entry point of the {@code hypersync} command; the launcher of that name starts it. */
public final class Main {
  /**
   * Commands that write a workspace's contents into a state directory; they run with an owner-only
   * umask.
   */
  private static final Set<String> KEEPERS =
      Set.of("up", "leader", "worker", "standby", "promote", "cut-log", "convert");

  /** Commands whose output is a shell's input. */
  private static final Set<String> FOR_SHELLS = Set.of("env", "exec");

  private Main() {}

  /** Runs one command and exits with its code. */
  public static void main(String[] args) {
    List<String> words = List.of(args);
    if (FastStatus.isMeant(words)) {
      FastStatus.hasten();
      int exitCode = FastStatus.run(words, System.getenv(), output(words), messages());
      Runtime.getRuntime().halt(exitCode); // output is flushed; exit would initialize logging
    }
    if (isForRobot(words)) {
      FastStatus.hasten();
      Runtime.getRuntime().halt(askRobot(words));
    }
    String command = args.length == 0 ? "" : args[0];
    if (KEEPERS.contains(command)) {
      ProcessUmask.ownerOnly();
    }
    System.exit(
        commandLine(command, LeaderDaemon::start, WorkerDaemon::start)
            .setOut(output(words))
            .setErr(messages())
            .execute(args));
  }

  private static boolean isForRobot(List<String> words) {
    return !words.isEmpty()
        && words.getFirst().equals(HypersyncCommand.ROBOT)
        && !words.contains("--help")
        && !words.contains("-h");
  }

  private static int askRobot(List<String> words) {
    Instant begun = ProcessHandle.current().info().startInstant().orElseGet(Instant::now);
    return Robot.run(
        words.subList(1, words.size()),
        System.getenv(),
        Path.of("").toAbsolutePath(),
        begun,
        writer(System.out),
        messages());
  }

  /** Standard output. What programs read is written as it is, whatever this program is called. */
  private static PrintWriter output(List<String> words) {
    boolean isForPrograms =
        words.contains("--json") || (!words.isEmpty() && FOR_SHELLS.contains(words.getFirst()));
    boolean isHelp = words.contains("--help") || words.contains("-h");
    return isForPrograms && !isHelp
        ? writer(System.out)
        : PrintableWriter.to(System.out, ProgramName::in);
  }

  private static PrintWriter messages() {
    return PrintableWriter.to(System.err, ProgramName::in);
  }

  /** Returns a writer to this stream; everything that goes to a terminal is written through one. */
  static PrintWriter writer(OutputStream stream) {
    return PrintableWriter.to(stream);
  }

  /**
   * Builds the command line with its error handlers. Reading the options of one command takes
   * longer than most commands run, so only the wanted command is added.
   *
   * @param command the wanted command; if none has this name, all commands are added, unless it is
   *     the option that asks for the version
   * @param leader starts the leader daemon
   * @param worker starts the worker daemon
   */
  static CommandLine commandLine(
      String command,
      DaemonStarter<LeaderDaemonOptions> leader,
      DaemonStarter<WorkerDaemonOptions> worker) {
    CommandLine line = new CommandLine(new HypersyncCommand());
    boolean isAlone = HypersyncCommand.VERSION.contains(command);
    if (!isAlone && !HypersyncCommand.add(line, command, leader, worker)) {
      HypersyncCommand.addAll(line, leader, worker);
      ServiceLoader.load(ExtraCommand.class).forEach(line::addSubcommand);
    }
    return line.setExecutionStrategy(Main::execute)
        .setExecutionExceptionHandler(ErrorReport::onFailure)
        .setParameterExceptionHandler(ErrorReport::onMisuse)
        .setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF))
        .setUsageHelpAutoWidth(true);
  }

  /**
   * Executes like picocli, whose exception handler gets exceptions but no {@link Error}s, and
   * reports {@link OutOfMemoryError} as well.
   */
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
