package io.hypersync.cli.runtime;

import io.hypersync.cli.config.Configuration;
import io.hypersync.cli.workspace.WorkspaceDirectory;
import io.hypersync.leader.LeaderDaemonOptions;
import io.hypersync.runtime.admin.RunDirectory;
import io.hypersync.worker.WorkerDaemonOptions;
import java.nio.file.Path;
import java.util.Optional;

/** Runs a leader as this process, with or without a mount of its workspace (hypersync.md 4.2). */
public final class LeaderProcess {
  private final WorkspaceDirectory workspace;
  private final Configuration configuration;

  /** Describes the process; {@link #run} starts it. */
  public LeaderProcess(WorkspaceDirectory workspace, Configuration configuration) {
    this.workspace = workspace;
    this.configuration = configuration;
  }

  /**
   * Blocks until the leader has ended.
   *
   * @param alone starts a leader without a mount
   * @param mount where the workspace is to be mounted in this process; empty for nowhere
   * @throws io.hypersync.runtime.admin.UserError if it cannot start, or had to end
   */
  public void run(DaemonStarter<LeaderDaemonOptions> alone, Optional<Path> mount)
      throws InterruptedException {
    LeaderDaemonOptions options = LeaderPlan.options(workspace, configuration);
    BackingFilesystem.check(options.stateDir());
    RunDirectory sockets = RunDirectory.of(System.getenv());
    DaemonProcess process =
        new DaemonProcess("leader of " + workspace.name(), sockets.leaderSocket(workspace.id()));
    if (mount.isEmpty()) {
      process.run(alone, options);
      return;
    }
    WorkerDaemonOptions here =
        WorkerPlan.besideLeader(configuration, workspace, options, mount.get());
    process.run(
        MainHost::start,
        new MainHost.Options(
            // The mount has a copy of the state in the same heap.
            options.withStateHeapShare(options.stateHeapShare() / 2),
            here,
            sockets.workerSocket(here.workspace(), here.worker())));
  }
}
