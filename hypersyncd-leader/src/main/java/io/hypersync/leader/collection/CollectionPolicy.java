package io.hypersync.leader.collection;

import io.hypersync.chunkstore.CollectionOptions;

/**
 * When dead chunks are collected, and what is kept for workers that are away: the replay window of
 * hypersync.md 13.2. It has the newest entries up to both limits, whichever is reached first.
 *
 * @param intervalNs {@code gc.interval} in nanoseconds: after this long a collection runs, if
 *     anything has changed
 * @param replayEntries {@code gc.replay_entries}: so many entries are in the window at most
 * @param replayNs {@code gc.replay_time} in nanoseconds: an entry that is older than this, by the
 *     times of the log, is not in the window
 * @param options which segments are worth it
 */
public record CollectionPolicy(
    long intervalNs, long replayEntries, long replayNs, CollectionOptions options) {
  /** REPLAY_WINDOW_ENTRIES. */
  public static final long REPLAY_ENTRIES = 2_000_000;

  /** REPLAY_WINDOW_TIME, 10 minutes: on a disk that is nearly full no more than that is kept. */
  static final long SHORTEST_REPLAY_NS = 600_000_000_000L;

  /** With the usual choice of segments. */
  public static CollectionPolicy of(long intervalNs, long replayEntries, long replayNs) {
    return new CollectionPolicy(intervalNs, replayEntries, replayNs, CollectionOptions.DEFAULT);
  }

  /**
   * Whether an entry is behind the window, so that no worker may begin with what follows it.
   *
   * @param index of the entry
   * @param timeNs its time in the log
   * @param headIndex of the newest entry
   * @param headTimeNs its time
   * @param isFull whether the disk is nearly full
   */
  boolean isOutside(long index, long timeNs, long headIndex, long headTimeNs, boolean isFull) {
    long longestNs = isFull ? Math.min(replayNs, SHORTEST_REPLAY_NS) : replayNs;
    return headIndex - index >= replayEntries || headTimeNs - timeNs >= longestNs;
  }
}
