package io.hypersync.worker.port;

import io.hypersync.model.log.LogEntry;
import io.hypersync.model.state.FsState;

/**
 * Hears of every entry that has become visible, in order, on the agent's thread; must not block.
 */
@FunctionalInterface
public interface ApplyListener {
  /**
   * An entry has become visible.
   *
   * @param before the state before it
   * @param after the state after it
   */
  void applied(LogEntry entry, FsState before, FsState after);
}
