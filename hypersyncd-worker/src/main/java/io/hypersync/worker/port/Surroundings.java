package io.hypersync.worker.port;

import io.hypersync.model.state.FsState;
import io.hypersync.wire.message.LeaderMessage.LockExpiryWarning;
import io.hypersync.wire.message.LeaderMessage.Notice;
import io.hypersync.wire.message.LocalPressure;

/**
 * Host facts that the agent reports, and warnings that it raises for operators. They decide one
 * thing: on a disk that is nearly full nothing is fetched that nobody waits for.
 */
public interface Surroundings {
  /** Reports no host facts and discards warnings. */
  Surroundings NONE =
      new Surroundings() {
        @Override
        public LocalPressure pressure() {
          return LocalPressure.NOT_KNOWN;
        }

        @Override
        public void locksExpire(LockExpiryWarning warning, FsState visible) {}

        @Override
        public void noticed(Notice notice) {}
      };

  /** The CPU, memory and disk pressure of the host as of a moment ago; must not block. */
  LocalPressure pressure();

  /**
   * The same, and what agents feel of it: what the leader is told (hypersync.md 15.2). Must not
   * block; on the agent's thread.
   */
  default LocalPressure report() {
    return pressure();
  }

  /**
   * The leader frees locks of this worker unless they are renewed, and a renewal is in progress;
   * must not block.
   *
   * @param visible the visible state, to find the paths of the locked files
   */
  void locksExpire(LockExpiryWarning warning, FsState visible);

  /** The leader tells something that no entry tells, once; must not block. */
  void noticed(Notice notice);
}
