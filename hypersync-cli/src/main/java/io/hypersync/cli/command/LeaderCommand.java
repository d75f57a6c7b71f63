package io.hypersync.cli.command;

import io.hypersync.cli.config.Configuration;
import io.hypersync.cli.config.Settings;
import io.hypersync.cli.runtime.BackingFilesystem;
import io.hypersync.cli.runtime.DaemonProcess;
import io.hypersync.cli.runtime.DaemonStarter;
import io.hypersync.cli.runtime.LeaderPlan;
import io.hypersync.cli.workspace.WorkspaceDirectory;
import io.hypersync.leader.LeaderDaemonOptions;
import io.hypersync.runtime.admin.RunDirectory;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code hypersync leader}: runs the leader daemon until it is stopped (hypersync.md 4.1). */
@Command(
    name = "leader",
    description = {
      "Run the leader of a workspace until a signal ends it. Logs go to standard error."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./hypersync leader --dir /srv/team",
      "  ./hypersync leader --dir /srv/team --bind 10.0.0.1:7890",
      "  ./hypersync leader --dir /srv/team --set hypersync.leader.batch_max_ops=200"
    })
public final class LeaderCommand implements Callable<Integer> {
  private final DaemonStarter<LeaderDaemonOptions> starter;

  @Mixin private final ConfigurationOptions configurationOptions = new ConfigurationOptions();
  @Mixin private final LeaderFolders folders = new LeaderFolders();

  @Option(
      names = "--bind",
      paramLabel = "<host:port>",
      description = "Where to listen (UDP), over hypersync.leader.bind_address.")
  private @Nullable String bind;

  /** Creates the command with the function that starts its daemon. */
  public LeaderCommand(DaemonStarter<LeaderDaemonOptions> starter) {
    this.starter = starter;
  }

  @Override
  public Integer call() throws InterruptedException {
    WorkspaceDirectory workspace = folders.open(configurationOptions);
    workspace.closeToOthers();
    configurationOptions.put("--bind", Settings.LEADER_BIND_ADDRESS, bind);
    Configuration configuration = configurationOptions.read(workspace.configFile());
    LeaderDaemonOptions options = LeaderPlan.options(workspace, configuration);
    BackingFilesystem.check(options.stateDir());
    new DaemonProcess(
            "leader of " + workspace.name(),
            RunDirectory.of(System.getenv()).leaderSocket(workspace.id()))
        .run(starter, options);
    return 0;
  }
}
