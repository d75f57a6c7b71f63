package io.hypersync.cli.runtime;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.runtime.admin.Daemon;
import io.hypersync.runtime.admin.UserError;

/** Reads the configuration of a process again, for the daemon that runs in it. Any thread. */
public interface Reloading {
  /** That of a process whose configuration is read once. */
  Reloading NOT =
      new Reloading() {
        @Override
        public void runs(Daemon daemon) {}

        @Override
        public void ended() {}

        @Override
        public ObjectNode reload() {
          throw new UserError(
              "this daemon reads no configuration while it runs", "Start it again instead.");
        }
      };

  /**
   * This daemon runs, until {@link #ended}. It takes up what has changed since its options were
   * made.
   *
   * @throws UserError if it does not answer
   */
  void runs(Daemon daemon);

  /** It does not run any more. */
  void ended();

  /**
   * Reads it again; blocks until the daemon has taken up what can change.
   *
   * @return what has changed, as {@code docs/json.md} describes it
   * @throws UserError if something is wrong with it: nothing has changed then; or if an agent does
   *     not answer: then the next reading has it take all up
   */
  ObjectNode reload();
}
