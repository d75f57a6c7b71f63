package io.hypersync.worker.port;

import io.hypersync.model.log.LogEntry;
import io.hypersync.model.state.FsState;

/**
 * Receives every entry that has become visible, in order, on the agent's thread; must not block.
 */
@FunctionalInterface
public interface ApplyListener {
  /**
   * Called when an entry has become visible.
   *
   * @param before the state before it
   * @param after the state after it
   */
  void applied(LogEntry entry, FsState before, FsState after);
}
