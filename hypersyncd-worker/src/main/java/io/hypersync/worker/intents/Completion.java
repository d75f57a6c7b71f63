package io.hypersync.worker.intents;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.state.FsState;

/**
 * Receives the outcome of a mutation: exactly one of these is called, once, on the agent's thread.
 * Must not block.
 */
public interface Completion {
  /**
   * The mutation is durable at the leader and applied here (hypersync.md 6.3).
   *
   * @param entry its log entry
   * @param state the state right after that entry
   */
  void committed(LogEntry entry, FsState state);

  /** The mutation has not happened; with EIO the outcome is unknown (6.4). */
  void failed(Errno errno);
}
