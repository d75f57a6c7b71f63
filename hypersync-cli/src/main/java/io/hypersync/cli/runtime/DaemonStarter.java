package io.hypersync.cli.runtime;

import io.hypersync.runtime.admin.Daemon;

/**
 * Starts a daemon in this process.
 *
 * @param <O> the daemon's options
 */
@FunctionalInterface
public interface DaemonStarter<O> {
  /**
   * Starts the daemon; its threads run when this returns.
   *
   * @throws io.hypersync.runtime.admin.UserError if the user can fix the cause
   */
  Daemon start(O options) throws InterruptedException;
}
