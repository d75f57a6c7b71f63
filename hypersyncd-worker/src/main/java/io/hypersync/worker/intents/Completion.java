package io.hypersync.worker.intents;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.state.FsState;

/** How a mutation ends, exactly once, on the agent's thread; must not block. */
public interface Completion {
  /**
   * It is durable at the leader and applied here (hypersync.md 6.3).
   *
   * @param entry the log entry
   * @param state the state right after it
   */
  void committed(LogEntry entry, FsState state);

  /** It has not happened; of EIO this is not sure (6.4). */
  void failed(Errno errno);
}
