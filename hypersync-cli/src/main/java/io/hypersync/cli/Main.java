package io.hypersync.cli;

import io.hypersync.cli.command.ExtraCommand;
import io.hypersync.cli.command.HypersyncCommand;
import io.hypersync.cli.command.LeaderCommand;
import io.hypersync.cli.command.WorkerCommand;
import io.hypersync.cli.runtime.DaemonStarter;
import io.hypersync.leader.LeaderDaemon;
import io.hypersync.leader.LeaderDaemonOptions;
import io.hypersync.worker.WorkerDaemon;
import io.hypersync.worker.WorkerDaemonOptions;
import java.util.ServiceLoader;
import picocli.CommandLine;

/** Entry point of the {@code hypersync} command; the launcher of that name starts it. */
public final class Main {
  private Main() {}

  /** Runs one command and exits with its code. */
  public static void main(String[] args) {
    System.exit(commandLine(LeaderDaemon::start, WorkerDaemon::start).execute(args));
  }

  /** The whole command line, with its way of telling errors, and these daemons to start. */
  static CommandLine commandLine(
      DaemonStarter<LeaderDaemonOptions> leader, DaemonStarter<WorkerDaemonOptions> worker) {
    CommandLine line =
        new CommandLine(new HypersyncCommand())
            .addSubcommand(new LeaderCommand(leader))
            .addSubcommand(new WorkerCommand(worker));
    ServiceLoader.load(ExtraCommand.class).forEach(line::addSubcommand);
    return line.setExecutionExceptionHandler(ErrorReport::onFailure)
        .setParameterExceptionHandler(ErrorReport::onMisuse)
        .setUsageHelpAutoWidth(true);
  }
}
