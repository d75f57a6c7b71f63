package io.hypersync.cli.runtime;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.leader.LeaderDaemon;
import io.hypersync.leader.LeaderDaemonOptions;
import io.hypersync.leader.LeaderTuning;
import io.hypersync.runtime.admin.AdminCommand;
import io.hypersync.runtime.admin.AdminServer;
import io.hypersync.runtime.admin.Daemon;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.log.LogEvent;
import io.hypersync.worker.WorkerDaemon;
import io.hypersync.worker.WorkerDaemonOptions;
import io.hypersync.worker.WorkerTuning;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The leader and a mount of its workspace in one process (hypersync.md 4.2). As a daemon it is the
 * leader; the mount answers on a socket of its own, as any worker does, and can end before it. What
 * ends the leader ends the mount.
 */
public final class MainHost implements Daemon {
  private static final Logger LOG = LoggerFactory.getLogger(MainHost.class);

  private final LeaderDaemon leader;
  private final WorkerDaemon mount;
  private final AdminServer mountServer;
  private boolean closed;

  /**
   * What both are started with.
   *
   * @param mountSocket where the mount answers
   * @param reloading reads the configuration of the process again
   */
  public record Options(
      LeaderDaemonOptions leader,
      WorkerDaemonOptions mount,
      Path mountSocket,
      Reloading reloading) {}

  private MainHost(LeaderDaemon leader, WorkerDaemon mount, Path socket, Reloading reloading) {
    this.leader = leader;
    this.mount = mount;
    this.mountServer =
        AdminServer.start(
            socket,
            new DaemonCommands(mount, socket, Optional::empty, reloading, Daemon::close).byName());
    // On threads of their own: whoever completes them may be the leader's, for which closing waits.
    // A mount that waits to join a leader which has ended would wait for ever.
    var _ = leader.ended().whenCompleteAsync((_, _) -> mount.close(), MainHost::inBackground);
    var _ = mount.ended().whenCompleteAsync((_, why) -> mountEnded(why), MainHost::inBackground);
  }

  private static void inBackground(Runnable task) {
    Thread _ = Thread.ofPlatform().name("mount-end").daemon().start(task);
  }

  /** A mount that has ended, for whatever reason, is taken away; its socket is not answered. */
  private void mountEnded(@Nullable Throwable why) {
    if (why != null) {
      LOG.error(
          "the mount in this process has failed, the leader goes on; it is mounted again when the"
              + " leader is started again",
          why);
    }
    mount.close();
    mountServer.close();
  }

  /**
   * Recovers the leader, and prepares the mount; {@link #awaitReady} mounts it.
   *
   * @throws UserError if one of the two cannot start
   */
  public static MainHost start(Options options) {
    AdminServer.refuseIfAlive(options.mountSocket());
    LeaderDaemon leader = LeaderDaemon.start(options.leader(), options.mount().worker());
    WorkerDaemon mount = null;
    try {
      mount = WorkerDaemon.start(options.mount(), leader::workerHere);
      return new MainHost(leader, mount, options.mountSocket(), options.reloading());
    } catch (RuntimeException e) {
      if (mount != null) {
        mount.close();
      }
      leader.close();
      throw e;
    }
  }

  /**
   * Waits until the workspace is mounted. The leader leads already, for other hosts, too: if it
   * cannot be mounted here, it goes on without.
   */
  @Override
  public void awaitReady() throws InterruptedException {
    try {
      mount.awaitReady();
    } catch (UserError | InterruptedException e) {
      if (leader.ended().isDone()) {
        return; // whoever waits for its end hears why
      }
      if (!(e instanceof UserError error)) {
        throw e;
      }
      notMounted(error);
    }
  }

  private void notMounted(UserError e) {
    LOG.error(
        LogEvent.NOT_MOUNTED.marker(),
        "not mounted here, the leader goes on without: {}. {}",
        e.message(),
        e.hint());
    mount.close();
    mountServer.close();
  }

  /** Both, the mount as long as it is there: one that hangs ends with the process only. */
  @Override
  public void beat() {
    leader.beat();
    mount.beat();
  }

  /**
   * Has both take up what has changed, the mount as long as it serves.
   *
   * @throws UserError if one of them does not answer; the other one may have taken it up
   */
  public void tune(UnaryOperator<LeaderTuning> leading, WorkerTuning mounted) {
    leader.tune(leading);
    try {
      mount.tune(mounted);
    } catch (UserError | RejectedExecutionException gone) {
      if (!mount.ended().isDone()) {
        throw gone;
      }
      LOG.debug("the mount in this process has ended", gone);
    }
  }

  @Override
  public ObjectNode status() {
    return leader.status();
  }

  /** That of the leader, and that of the mount as long as it serves. */
  @Override
  public List<ObjectNode> measured() {
    List<ObjectNode> all = new ArrayList<>(leader.measured());
    try {
      all.addAll(mount.measured());
    } catch (UserError | IllegalStateException gone) {
      LOG.debug("no metrics of the mount in this process", gone);
    }
    return all;
  }

  @Override
  public Map<String, AdminCommand> adminCommands() {
    return leader.adminCommands();
  }

  @Override
  public CompletableFuture<Void> ended() {
    return leader.ended();
  }

  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    try {
      mount.close();
    } finally {
      try {
        leader.close();
      } finally {
        mountServer.close();
      }
    }
  }
}
