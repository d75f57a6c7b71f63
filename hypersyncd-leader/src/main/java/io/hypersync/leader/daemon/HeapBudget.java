package io.hypersync.leader.daemon;

import io.hypersync.leader.quota.WorkerQuotas;

/**
 * How the JVM heap of this process is divided. A state has a share, for what can be dropped and for
 * what is dirty ({@code DirtyMemory}). What was allowed to become dirty can always be replayed in
 * the same heap: a replay begins with a snapshot, and holds what is newer, what the last two runs
 * of entries have added to it, and a few megabytes of intents, and none of these is larger than it
 * was when the leader ran. If the newest snapshot cannot be read, there is room for as much again.
 */
public final class HeapBudget {
  /**
   * The share up to which a replay goes on; larger than the state's own share, for a heap that has
   * shrunk or a share that was larger before.
   */
  private static final double MOST_AT_START = 0.8;

  /** {@code SeenHashes}, while it grows. */
  private static final long BYTES_PER_SEEN = 64;

  /** A collection remembers pages in one part in so many of the heap. */
  private static final int COLLECTION_PAGES_PART = 16;

  /**
   * A scrub remembers what it has read in one part in so many: a quarter of that is for pages, the
   * rest for chunks.
   */
  private static final int SCRUB_PART = 32;

  /** A backup remembers half as much as a scrub, divided in the same way. */
  private static final int BACKUP_PART = 2 * SCRUB_PART;

  /** More of either are not remembered, in whatever heap. */
  private static final int MOST_SEEN = 1 << 24;

  private static final long MIB = 1L << 20;

  private HeapBudget() {}

  /** The largest state weight with which this process starts, in bytes. */
  public static long mostAtStart() {
    return (long) (MOST_AT_START * largestBytes());
  }

  /** Twice the maximum heap, in MiB: what error messages recommend. */
  public static long twiceMib() {
    return 2 * largestBytes() / MIB;
  }

  /**
   * How much heap the parts of the state may take that can be dropped, in bytes: no more than half
   * of the state's share, so that there is room for what is newer than a snapshot.
   *
   * @param wanted in bytes; {@code Long.MAX_VALUE} if nothing is to be dropped
   */
  public static long droppable(long wanted, double share) {
    return wanted == Long.MAX_VALUE ? wanted : Math.min(wanted, state(share) / 2);
  }

  /**
   * How much heap the parts of the state may take that cannot be dropped, in bytes.
   *
   * @param droppable what {@link #droppable} has returned
   */
  static long dirty(long droppable, double share) {
    return state(share) - (droppable == Long.MAX_VALUE ? 0 : droppable);
  }

  /** How much that may be in a replay, in bytes. */
  public static long dirtyAtStart(long droppable) {
    return mostAtStart() - (droppable == Long.MAX_VALUE ? 0 : droppable);
  }

  /** The largest state weight for this share of the heap, in bytes. */
  static long state(double share) {
    return (long) (share * largestBytes());
  }

  /**
   * Whether a second state of about this many bytes fits beside the leader's own: it must not take
   * heap that the leader needs.
   */
  static boolean hasRoomFor(long stateBytes) {
    return freeForOthers() > stateBytes;
  }

  /** How much heap may be used beside what the leader needs, in bytes. */
  static long freeForOthers() {
    Runtime memory = Runtime.getRuntime();
    long free = memory.maxMemory() - (memory.totalMemory() - memory.freeMemory());
    return free / 2;
  }

  /** How many pages a collection may remember. */
  static int mostPages() {
    return mostSeen(largestBytes() / COLLECTION_PAGES_PART);
  }

  /** How many pages a scrub may remember. */
  static int mostScrubbedPages() {
    return mostSeen(largestBytes() / SCRUB_PART / 4);
  }

  /** How many chunks a scrub may remember. */
  static int mostScrubbedChunks() {
    return mostSeen(largestBytes() / SCRUB_PART * 3 / 4);
  }

  /** How many pages a backup may remember. */
  static int mostBackedUpPages() {
    return mostSeen(largestBytes() / BACKUP_PART / 4);
  }

  /** How many chunks a backup may remember. */
  static int mostBackedUpChunks() {
    return mostSeen(largestBytes() / BACKUP_PART * 3 / 4);
  }

  private static int mostSeen(long bytes) {
    return Math.clamp(bytes / BYTES_PER_SEEN, 1, MOST_SEEN);
  }

  static WorkerQuotas quotas() {
    return WorkerQuotas.ofHeap(largestBytes());
  }

  private static long largestBytes() {
    return Runtime.getRuntime().maxMemory();
  }
}
