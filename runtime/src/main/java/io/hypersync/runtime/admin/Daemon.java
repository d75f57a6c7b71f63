package io.hypersync.runtime.admin;

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
