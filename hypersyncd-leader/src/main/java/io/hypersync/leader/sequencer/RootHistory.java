package io.hypersync.leader.sequencer;

import io.hypersync.model.hash.Hash;
import java.util.ArrayDeque;

/**
 * The Merkle roots from the newest durable entry to the newest one. Whoever names a root together
 * with the commit index needs the root at that index: S_head is ahead of it while the disk is
 * written. Holds one row for each entry that is not durable. On the agent's thread.
 */
final class RootHistory {
  private record Row(long index, Hash root) {}

  private final ArrayDeque<Row> notDurable = new ArrayDeque<>();
  private long durableIndex;
  private Hash durableRoot;

  /** Begins with this entry, which is durable. */
  RootHistory(long index, Hash root) {
    this.durableIndex = index;
    this.durableRoot = root;
  }

  /** Appends the root of the next entry, and drops what is no longer needed. */
  void add(long index, Hash root, long durable) {
    advance(durable);
    notDurable.addLast(new Row(index, root));
  }

  /**
   * The root at this index.
   *
   * @param durable the durable index of the log now
   */
  Hash at(long durable) {
    advance(durable);
    if (durableIndex != durable) {
      throw new IllegalArgumentException("no root for entry " + durable + ", but " + durableIndex);
    }
    return durableRoot;
  }

  private void advance(long durable) {
    while (!notDurable.isEmpty() && notDurable.getFirst().index <= durable) {
      Row row = notDurable.removeFirst();
      durableIndex = row.index;
      durableRoot = row.root;
    }
  }
}
