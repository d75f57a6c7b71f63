package io.hypersync.cli.runtime;

import io.hypersync.cli.config.Configuration;
import io.hypersync.cli.workspace.WorkspaceDirectory;
import io.hypersync.leader.LeaderDaemonOptions;
import io.hypersync.leader.daemon.DeposedFile;
import io.hypersync.leader.daemon.leadership.LeadershipTimer;
import io.hypersync.leader.leadership.LeaderSeat;
import io.hypersync.leader.leadership.Leadership;
import io.hypersync.leader.leadership.Leadership.Phase;
import io.hypersync.leader.standby.StandbyFile;
import io.hypersync.runtime.admin.AlreadyRunning;
import io.hypersync.runtime.admin.RunDirectory;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.log.LogEvent;
import io.hypersync.worker.WorkerDaemonOptions;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs a leader as this process, with or without a mount of its workspace (hypersync.md 4.2). */
public final class LeaderProcess {
  private static final Logger LOG = LoggerFactory.getLogger(LeaderProcess.class);

  private final WorkspaceDirectory workspace;
  private final Supplier<Configuration> configuration;
  private final Reloading reloading;

  /**
   * Describes the process; {@link #run} starts it.
   *
   * @param configuration what is in force, which may change while it observes
   */
  public LeaderProcess(
      WorkspaceDirectory workspace, Supplier<Configuration> configuration, Reloading reloading) {
    this.workspace = workspace;
    this.configuration = configuration;
    this.reloading = reloading;
  }

  /**
   * Blocks until the leader has ended. While another process of this host leads the workspace, this
   * one observes, and leads when that one does not any more.
   *
   * @param alone starts a leader without a mount
   * @param mount where the workspace is to be mounted in this process; empty for nowhere
   * @param seat on which state it may lead; its gate is not used
   * @throws UserError if it cannot start, or had to end
   */
  public void run(DaemonStarter<LeaderDaemonOptions> alone, Optional<Path> mount, LeaderSeat seat)
      throws InterruptedException {
    LeaderDaemonOptions options = LeaderPlan.options(workspace, configuration.get());
    BackingFilesystem.check(options.stateDir());
    StandbyFile.refuse(options.stateDir()); // it would not lead when it is its turn
    DeposedFile.refuse(options.stateDir(), seat.rewind());
    RunDirectory sockets = RunDirectory.of(System.getenv());
    Claims claims = new Claims(sockets, workspace.id(), System.getenv());
    boolean given = false;
    boolean hasObserved = false;
    while (true) {
      Leadership leadership = claims.begin(given);
      try (LeadershipTimer timer = LeadershipTimer.start(leadership)) {
        if (leadership.phase() == Phase.OBSERVING) {
          observe(sockets, leadership, timer);
          hasObserved = true;
        }
        if (leadership.phase() != Phase.LEADING) {
          return;
        }
        LeaderDaemonOptions now = LeaderPlan.options(workspace, configuration.get());
        lead(sockets, alone, mount, now.withSeat(seat.behind(leadership)), leadership);
      } catch (AlreadyRunning e) {
        if (!hasObserved) {
          throw e;
        }
        // The leader that is followed was only stopped, and still has its state and its admin
        // socket.
        LOG.warn("this process cannot lead, and goes on observing: {}. {}", e.message(), e.hint());
        given = true;
        continue;
      } finally {
        Claims.release(leadership); // whatever has happened; nothing acts any more
      }
      if (leadership.lostBecause().isEmpty()) {
        return;
      }
      LOG.warn(
          LogEvent.OBSERVING.marker(),
          "this process observes from now on: {}",
          leadership.lostBecause().get());
      given = true;
    }
  }

  private void observe(RunDirectory sockets, Leadership leadership, LeadershipTimer timer)
      throws InterruptedException {
    LOG.info(
        LogEvent.OBSERVING.marker(),
        "{} leads this workspace already; this process leads when that one has ended",
        Leadership.describe(leadership.view().content()));
    new DaemonProcess(
            "observer of " + workspace.name(),
            sockets.observerSocket(workspace.id(), ProcessHandle.current().pid()),
            Practising.NOT,
            Optional.empty(),
            reloading,
            () -> {})
        .run(_ -> new Observer(workspace, leadership, timer), workspace);
  }

  private void lead(
      RunDirectory sockets,
      DaemonStarter<LeaderDaemonOptions> alone,
      Optional<Path> mount,
      LeaderDaemonOptions options,
      Leadership leadership)
      throws InterruptedException {
    Configuration now = configuration.get();
    try (BackgroundWork background = BackgroundWork.begin(now, workspace.id())) {
      DaemonProcess process =
          new DaemonProcess(
              "leader of " + workspace.name(),
              sockets.leaderSocket(workspace.id()),
              mount.isEmpty() ? Practising.beside(now) : Practising.beforeMount(now),
              MetricsPlan.options(now),
              reloading,
              () -> {
                Claims.release(leadership);
                background.end();
              });
      lead(process, now, sockets, alone, mount, options.withBackground(background.turns()));
    }
  }

  private void lead(
      DaemonProcess process,
      Configuration now,
      RunDirectory sockets,
      DaemonStarter<LeaderDaemonOptions> alone,
      Optional<Path> mount,
      LeaderDaemonOptions options)
      throws InterruptedException {
    if (mount.isEmpty()) {
      process.run(alone, options);
      return;
    }
    WorkerDaemonOptions here = WorkerPlan.besideLeader(now, workspace, options, mount.get());
    process.run(
        MainHost::start,
        new MainHost.Options(
            // The mount has a copy of the state in the same heap.
            options.withStateHeapShare(options.stateHeapShare() / 2),
            here,
            sockets.workerSocket(here.workspace(), here.worker()),
            reloading));
  }
}
