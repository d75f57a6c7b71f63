package io.hypersync.wire.admin;

import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** A leader or a worker as its command sees it: it runs, says how it is, and is stopped. */
public interface Daemon extends StatusSource, AutoCloseable {

  /**
   * Returns when it does its work; it can be asked, and closed, before. Called once.
   *
   * @throws UserError if it will never, and the user can do something about that
   * @throws InterruptedException if the thread is interrupted, or the daemon closed meanwhile
   */
  default void awaitReady() throws InterruptedException {}

  /** What can be asked of it beside its status, by name; {@code docs/json.md}. */
  Map<String, AdminCommand> adminCommands();

  /**
   * Completes when the daemon has come to its end by itself, exceptionally if something forced it
   * to: a {@link UserError} if the user can do something about it.
   */
  CompletableFuture<Void> ended();

  /** Stops it cleanly and returns when it is stopped. May be called again, from any thread. */
  @Override
  void close();
}
