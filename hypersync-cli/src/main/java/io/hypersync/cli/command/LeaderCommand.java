package io.hypersync.cli.command;

import io.hypersync.cli.config.Configuration;
import io.hypersync.cli.config.Settings;
import io.hypersync.cli.runtime.DaemonStarter;
import io.hypersync.cli.runtime.LeaderProcess;
import io.hypersync.cli.workspace.WorkspaceDirectory;
import io.hypersync.leader.LeaderDaemonOptions;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code hypersync leader}: runs the leader daemon until it is stopped (hypersync.md 4.1). */
@Command(
    name = "leader",
    description = {
      "Run the leader of a workspace until a signal ends it. Logs go to standard error.",
      "With --mount the workspace is mounted by the same process, as worker main-host.",
      "While another process of this host leads the workspace, this one observes, and leads when that"
          + " one has ended."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./hypersync leader --dir /srv/team",
      "  ./hypersync leader --dir /srv/team --mount /ntmfs/ws/team",
      "  ./hypersync leader --dir /srv/team --bind 10.0.0.1:7890",
      "  ./hypersync leader --dir /srv/team --set hypersync.leader.batch_max_ops=200"
    })
public final class LeaderCommand implements Callable<Integer> {
  private final DaemonStarter<LeaderDaemonOptions> starter;

  @Mixin private final ConfigurationOptions configurationOptions = new ConfigurationOptions();
  @Mixin private final LeaderFolders folders = new LeaderFolders();
  @Mixin private final SeatOptions seat = new SeatOptions();

  @Option(
      names = "--bind",
      paramLabel = "<host:port>",
      description = "Where to listen (UDP), over hypersync.leader.bind_address.")
  private @Nullable String bind;

  @Option(
      names = "--mount",
      paramLabel = "<dir>",
      description =
          "Mount the workspace here as well, in this process; an empty folder, or one that is made"
              + " and taken away again.")
  private @Nullable String mount;

  /** Creates the command with the function that starts its daemon. */
  public LeaderCommand(DaemonStarter<LeaderDaemonOptions> starter) {
    this.starter = starter;
  }

  @Override
  public Integer call() throws InterruptedException {
    WorkspaceDirectory workspace = folders.open(configurationOptions);
    workspace.closeToOthers();
    configurationOptions.put("--mount", Settings.WORKER_MOUNT, mount);
    configurationOptions.put("--bind", Settings.LEADER_BIND_ADDRESS, bind);
    Configuration configuration = configurationOptions.read(workspace.configFile());
    new LeaderProcess(workspace, configuration)
        .run(
            starter,
            mount == null ? Optional.empty() : configuration.findPath(Settings.WORKER_MOUNT),
            seat.seat());
    return 0;
  }
}
