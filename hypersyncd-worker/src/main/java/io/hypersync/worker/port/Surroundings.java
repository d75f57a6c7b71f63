package io.hypersync.worker.port;

import io.hypersync.model.state.FsState;
import io.hypersync.wire.message.LeaderMessage.LockExpiryWarning;
import io.hypersync.wire.message.LocalPressure;

/** What the agent asks of the machine, and tells the people there; nothing of it decides. */
public interface Surroundings {
  /** A machine of which nothing is known, and where nobody reads. */
  Surroundings NONE =
      new Surroundings() {
        @Override
        public LocalPressure pressure() {
          return LocalPressure.NOT_KNOWN;
        }

        @Override
        public void locksExpire(LockExpiryWarning warning, FsState visible) {}
      };

  /** How full the machine was a moment ago; must not wait. */
  LocalPressure pressure();

  /**
   * The leader frees locks of this worker unless they are renewed, which is under way; must not
   * wait.
   *
   * @param visible where their files are
   */
  void locksExpire(LockExpiryWarning warning, FsState visible);
}
