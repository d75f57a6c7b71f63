package io.hypersync.cli.runtime;

import io.hypersync.cli.memory.IdleMemoryThread;
import io.hypersync.cli.metrics.MetricsEndpoint;
import io.hypersync.cli.metrics.MetricsOptions;
import io.hypersync.cli.practice.Practice;
import io.hypersync.runtime.admin.AdminServer;
import io.hypersync.runtime.admin.Daemon;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.log.LogEvent;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs one daemon as this process: starts it, serves its admin socket, and returns when it has
 * ended. It ends by a signal (TERM, INT; HUP unless that has its configuration read again), by
 * {@code stop} over the admin socket, or by itself.
 */
public final class DaemonProcess {
  private static final Logger LOG = LoggerFactory.getLogger(DaemonProcess.class);

  private static final Duration LAST_STEPS_LIMIT = Duration.ofSeconds(10);

  private final String name;
  private final Path socket;
  private final Runnable lastStep;
  private final CompletableFuture<Void> stopped = new CompletableFuture<>();
  private final CompletableFuture<Void> finished = new CompletableFuture<>();
  private final Practising practising;
  private final Optional<MetricsOptions> metrics;
  private final Reloading reloading;
  private final Supervision supervision = Supervision.ofProcess();
  private volatile boolean stopping;
  private volatile String reason = "it came to its end";

  /**
   * Creates a runner; the daemon is not started yet.
   *
   * @param name what logs call the daemon, such as {@code worker fmd}
   * @param socket path of its admin socket
   * @param practising for how long it practises, and whether it is ready before that ends
   */
  public DaemonProcess(String name, Path socket, Practising practising) {
    this(name, socket, practising, Optional.empty(), Reloading.NOT, () -> {});
  }

  /**
   * The same, with metrics, and something to do at the end.
   *
   * @param metrics where it shows them; empty for nowhere
   * @param reloading reads the configuration of the process again
   * @param lastStep done when the daemon has ended and its admin socket is gone, or it could not
   *     start; before the process ends, also by a signal
   */
  public DaemonProcess(
      String name,
      Path socket,
      Practising practising,
      Optional<MetricsOptions> metrics,
      Reloading reloading,
      Runnable lastStep) {
    this.name = name;
    this.socket = socket;
    this.practising = practising;
    this.metrics = metrics;
    this.reloading = reloading;
    this.lastStep = lastStep;
  }

  /**
   * Runs the daemon; blocks until it has ended.
   *
   * @throws UserError if it cannot start, or ended because of an error that the user can fix
   * @throws IllegalStateException if it ended because of any other failure
   */
  public <O> void run(DaemonStarter<O> starter, O options) throws InterruptedException {
    try {
      runDaemon(starter, options);
    } finally {
      lastStep.run();
      finished.complete(null);
    }
    LOG.info(LogEvent.STOPPED.marker().with("daemon", name), "{} has stopped", name);
  }

  private <O> void runDaemon(DaemonStarter<O> starter, O options) throws InterruptedException {
    AdminServer.refuseIfAlive(socket);
    try (Practice practice = Practice.begin(practising.limit());
        Daemon daemon = starter.start(options);
        Metrics shown = Metrics.begin(metrics, daemon);
        AdminServer _ =
            AdminServer.start(
                socket,
                new DaemonCommands(
                        daemon,
                        socket,
                        shown::url,
                        reloading,
                        asked -> {
                          stopping = true;
                          practice.end();
                          askedToStop(asked);
                        })
                    .byName());
        IdleMemoryThread _ = IdleMemoryThread.start()) {
      Thread onSignal =
          new Thread(
              () -> {
                stopping = true;
                practice.end(); // nobody waits for it any more
                endOnSignal(daemon);
              },
              "signal");
      Runtime.getRuntime().addShutdownHook(onSignal);
      try {
        reloading.runs(daemon);
        if (becomesReady(daemon, practice)) {
          shown.daemonIsReady();
          supervision.ready(name, daemon);
          LOG.info(
              LogEvent.READY.marker().with("daemon", name),
              "{} is ready; admin socket {}",
              name,
              socket);
          awaitEnd(daemon);
        }
        LOG.info(LogEvent.STOPPING.marker().with("daemon", name), "{} stops: {}", name, reason);
      } finally {
        reloading.ended();
        supervision.ended();
        // Removed on every path: if the hook stayed, it would turn the exit code of a failure into
        // 0.
        removeHook(onSignal);
      }
    }
  }

  /** The endpoint of the metrics, if there is to be one. */
  private record Metrics(Optional<MetricsEndpoint> endpoint) implements AutoCloseable {
    static Metrics begin(Optional<MetricsOptions> options, Daemon daemon) {
      return new Metrics(options.map(each -> MetricsEndpoint.begin(each, daemon::measured)));
    }

    Optional<String> url() {
      return endpoint.flatMap(MetricsEndpoint::url);
    }

    void daemonIsReady() {
      endpoint.ifPresent(MetricsEndpoint::daemonIsReady);
    }

    @Override
    public void close() {
      endpoint.ifPresent(MetricsEndpoint::close);
    }
  }

  /** Waits until the daemon is ready; returns false if it was stopped before. */
  private boolean becomesReady(Daemon daemon, Practice practice) throws InterruptedException {
    try {
      if (practising.isAwaited()) {
        practice.await();
        if (stopping) {
          return false; // what is closed cannot become ready
        }
      }
      daemon.awaitReady();
      return true;
    } catch (InterruptedException
        | UserError
        | IllegalStateException
        | RejectedExecutionException failure) {
      if (stopping) {
        LOG.debug("stopped before it was ready", failure);
        return false;
      }
      throw failure;
    }
  }

  private void awaitEnd(Daemon daemon) throws InterruptedException {
    try {
      CompletableFuture.anyOf(stopped, daemon.ended()).get();
    } catch (ExecutionException failed) {
      if (failed.getCause() instanceof UserError error) {
        throw error;
      }
      throw new IllegalStateException(name + " had to end", failed.getCause());
    }
  }

  /**
   * Runs in the shutdown hook. The JVM would exit with the signal's code although the end was
   * clean, so this halts with 0; with 1 if the daemon has ended with an error.
   */
  private void endOnSignal(Daemon daemon) {
    reason = "a signal";
    stopping = true;
    supervision.stopping();
    daemon.close();
    stopped.complete(null);
    try {
      // The main thread sees that the daemon has ended and removes the admin socket.
      finished.get(LAST_STEPS_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException | ExecutionException | TimeoutException late) {
      LOG.warn("{} ends without its last steps", name);
    }
    Runtime.getRuntime().halt(daemon.ended().isCompletedExceptionally() ? UserError.FAILED : 0);
  }

  /** Closed before the answer, so that the mount is gone when the caller gets it. */
  private void askedToStop(Daemon daemon) {
    reason = "asked to over the admin socket";
    stopping = true;
    supervision.stopping();
    daemon.close();
    stopped.complete(null);
  }

  private static void removeHook(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException alreadyEnding) {
      LOG.debug("a signal came at the same time");
    }
  }
}
