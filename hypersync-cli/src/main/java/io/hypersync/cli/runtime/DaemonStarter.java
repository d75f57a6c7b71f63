package io.hypersync.cli.runtime;

import io.hypersync.wire.admin.Daemon;

/**
 * Starts a daemon in this process.
 *
 * @param <O> what it is started with
 */
@FunctionalInterface
public interface DaemonStarter<O> {
  /**
   * Starts it; it runs when this returns.
   *
   * @throws io.hypersync.wire.admin.UserError if the user can do something about it
   */
  Daemon start(O options) throws InterruptedException;
}
