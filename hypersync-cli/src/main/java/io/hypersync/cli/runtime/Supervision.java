package io.hypersync.cli.runtime;

import io.hypersync.runtime.admin.Daemon;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.log.LogEvent;
import io.hypersync.runtime.supervision.ServiceManager;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the service manager of this process, if there is one, what its daemons do. It says that the
 * process lives only while the agent of the daemon that serves makes progress. Between two daemons,
 * as when an observer becomes a leader, which may take long, it says so by itself.
 *
 * <p>Any thread. The thread of the watchdog begins with the first daemon that is ready and lives as
 * long as the process; {@code serving} is all that it shares.
 */
final class Supervision {
  private static final Logger LOG = LoggerFactory.getLogger(Supervision.class);

  /** A turn may be missed: a loop may wait for its disk longer than an answer may take. */
  private static final int TURNS_OF_LIMIT = 6;

  private static final Supervision OF_PROCESS = new Supervision(System.getenv());

  private final Optional<ServiceManager> manager;

  /** The daemon that is looked at; null between two. */
  private volatile @Nullable Daemon serving;

  private boolean isWatched;

  Supervision(Map<String, String> environment) {
    this.manager = ServiceManager.of(environment);
  }

  /** That of this process, by its environment. */
  static Supervision ofProcess() {
    return OF_PROCESS;
  }

  /**
   * A daemon is ready; it is looked at until {@link #ended}.
   *
   * @param name what people are told
   */
  void ready(String name, Daemon daemon) {
    if (manager.isEmpty()) {
      return;
    }
    serving = daemon;
    manager.get().ready(name + " is ready");
    watch(manager.get());
  }

  /** It is not looked at any more. */
  void ended() {
    serving = null;
  }

  /** Somebody wants this process to end. Not for a worker that another one follows. */
  void stopping() {
    serving = null; // its end may take long, and has a limit of its own
    manager.ifPresent(ServiceManager::stopping);
  }

  private synchronized void watch(ServiceManager told) {
    if (isWatched || told.watchdog().isEmpty()) {
      return;
    }
    isWatched = true;
    Duration turn = told.watchdog().get().dividedBy(TURNS_OF_LIMIT);
    Thread _ = Thread.ofPlatform().daemon().name("watchdog").start(() -> watch(told, turn));
  }

  private void watch(ServiceManager told, Duration turn) {
    boolean wasSilent = false;
    while (true) {
      boolean isAlive = makesProgress();
      if (isAlive) {
        told.alive();
      } else if (!wasSilent) {
        LOG.warn(
            LogEvent.NO_PROGRESS.marker(),
            "no progress: the service manager ends this process if that goes on");
      }
      wasSilent = !isAlive;
      try {
        TimeUnit.NANOSECONDS.sleep(turn.toNanos());
      } catch (InterruptedException e) {
        return; // the process ends
      }
    }
  }

  private boolean makesProgress() {
    Daemon looked = serving;
    if (looked == null) {
      return true;
    }
    try {
      looked.beat();
      return true;
    } catch (UserError | RejectedExecutionException | IllegalStateException late) {
      return !looked.equals(serving); // it has ended meanwhile
    }
  }
}
