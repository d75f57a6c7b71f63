package io.hypersync.runtime.admin;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** A leader or a worker as the command line runs it: start, report status, stop. */
public interface Daemon extends StatusSource, AutoCloseable {

  /**
   * Blocks until the daemon is ready for work. It already serves admin commands and can be closed
   * before that. Call once.
   *
   * @throws UserError if it cannot become ready, for a reason that the user can fix
   * @throws InterruptedException if the thread is interrupted or the daemon is closed meanwhile
   */
  default void awaitReady() throws InterruptedException {}

  /**
   * What metrics are made of: the status of each daemon in this process, usually one, with buckets
   * in place of percentiles where {@link io.hypersync.runtime.stages.Buckets} are kept. Made in a
   * shorter time on the agent's thread than {@link #status}, since it is asked for every second.
   * Empty if there is nothing to measure.
   *
   * <p>May be called from any thread; blocks for the agent's answer.
   *
   * @throws UserError if the agent does not answer in time
   */
  default List<ObjectNode> measured() {
    return List.of();
  }

  /**
   * Returns when what decides has taken a turn, so that somebody can tell whether it makes
   * progress. Blocks for a few seconds at most. A daemon that stops need not take one.
   *
   * @throws UserError if it has not taken one
   */
  default void beat() {}

  /** The admin commands other than status, by name; documented in {@code docs/json.md}. */
  Map<String, AdminCommand> adminCommands();

  /**
   * Completes when the daemon has ended on its own: normally, or exceptionally if a failure ended
   * it. The exception is a {@link UserError} if the user can fix the cause.
   */
  CompletableFuture<Void> ended();

  /**
   * Stops the daemon cleanly; blocks until it has stopped. May be called again, from any thread.
   */
  @Override
  void close();
}
