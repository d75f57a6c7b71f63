package io.hypersync.worker.port;

import io.hypersync.model.log.LogEntry;
import io.hypersync.model.state.FsState;
import io.hypersync.worker.replica.IndexedState;

/** Receives what has become visible, in order, on the agent's thread; must not block. */
public interface ApplyListener {
  /**
   * Called when an entry has become visible.
   *
   * @param before the state before it
   * @param after the state after it
   */
  void applied(LogEntry entry, FsState before, FsState after);

  /**
   * Called when the state of a snapshot has become visible instead of one that is older by many
   * entries (hypersync.md 12.4); none of them was shown.
   *
   * @param after the state of the snapshot
   */
  void replaced(IndexedState before, IndexedState after);
}
