package io.hypersync.cli.command;

import io.hypersync.cli.config.Configuration;
import io.hypersync.cli.config.Settings;
import io.hypersync.cli.reload.Reload;
import io.hypersync.cli.runtime.DaemonStarter;
import io.hypersync.cli.runtime.LeaderPlan;
import io.hypersync.cli.runtime.LeaderProcess;
import io.hypersync.cli.runtime.MetricsPlan;
import io.hypersync.cli.runtime.StandbyPlan;
import io.hypersync.cli.runtime.StandbyProcess;
import io.hypersync.cli.workspace.WorkspaceDirectory;
import io.hypersync.leader.LeaderDaemonOptions;
import io.hypersync.leader.daemon.DeposedFile;
import io.hypersync.leader.standby.StandbyFile;
import io.hypersync.runtime.admin.UserError;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
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
      "  ./hypersync leader --dir /srv/team --rejoin /srv/team/tokens/spare.token",
      "  ./hypersync leader --dir /srv/team --set hypersync.leader.batch_max_ops=200"
    })
public final class LeaderCommand implements Callable<Integer> {
  private static final Logger LOG = LoggerFactory.getLogger(LeaderCommand.class);

  private final DaemonStarter<LeaderDaemonOptions> starter;

  @Mixin private final ConfigurationOptions configurationOptions = new ConfigurationOptions();
  @Mixin private final LogOptions logOptions = new LogOptions();
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

  @Option(
      names = "--rejoin",
      paramLabel = "<token>",
      description =
          "Follow the leader as a standby, with this token, when another one has taken the workspace"
              + " over, or if this is the state of a standby already.")
  private @Nullable Path rejoin;

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
    logOptions.put(configurationOptions);
    Reload reload = Reload.begin(configurationOptions.source(workspace.configFile()));
    Configuration configuration = reload.current();
    Path token = rejoin;
    try {
      new LeaderProcess(workspace, reload::current, reload)
          .run(
              starter,
              mount == null ? Optional.empty() : configuration.findPath(Settings.WORKER_MOUNT),
              seat.seat());
    } catch (UserError e) {
      if (token == null || !follows(LeaderPlan.stateDir(workspace, configuration))) {
        throw e;
      }
      LOG.warn("{}; this host follows that leader from now on", e.message());
      StandbyProcess.run(
          StandbyPlan.options(workspace, configuration, token, List.of()),
          configuration,
          MetricsPlan.options(configuration),
          reload);
    }
    return 0;
  }

  private static boolean follows(Path stateDir) {
    return StandbyFile.read(stateDir).isPresent() || DeposedFile.isDeposed(stateDir);
  }
}
