package io.hypersync.leader.sequencer;

import io.hypersync.model.hash.Hash;
import java.util.ArrayDeque;

/**
 * The Merkle roots from the newest durable entry to the newest one. Whoever names a root together
 * with the commit index needs the root at that index: S_head is ahead of it while the disk is
 * written. Holds one row for each entry that is not durable. On the agent's thread.
 */
final class RootHistory {
  private final ArrayDeque<IndexedRoot> notDurable = new ArrayDeque<>();
  private IndexedRoot durable;

  /** Begins with this entry, which is durable. */
  RootHistory(long index, Hash root) {
    this.durable = new IndexedRoot(index, root);
  }

  /**
   * Appends the root of the next entry, and drops what is no longer needed.
   *
   * @param durableIndex how far the log is durable now
   */
  void add(long index, Hash root, long durableIndex) {
    var _ = at(durableIndex);
    notDurable.addLast(new IndexedRoot(index, root));
  }

  /**
   * The newest entry that is durable, with its root.
   *
   * @param durableIndex how far the log is durable now
   */
  IndexedRoot at(long durableIndex) {
    while (!notDurable.isEmpty() && notDurable.getFirst().index() <= durableIndex) {
      durable = notDurable.removeFirst();
    }
    return durable;
  }
}
