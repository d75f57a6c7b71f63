package io.hypersync.leader.daemon;

import io.hypersync.leader.quota.WorkerQuotas;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;

/**
 * How the JVM heap of this process is divided. A state that was allowed to grow to its share can
 * always be replayed in the same heap: a replay holds the state, what the last two runs of entries
 * have added to it, and a few megabytes of intents, and none of these is larger than it was when
 * the leader ran.
 */
public final class HeapBudget {
  /**
   * The share up to which a replay goes on; larger than the state's own share, for a heap that has
   * shrunk or a share that was larger before.
   */
  private static final double MOST_AT_START = 0.8;

  /** {@code KeptChunks}; half of it again while it grows. */
  private static final long BYTES_PER_MARK = 32;

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

  /**
   * What the marks of a collection take at most, in bytes.
   *
   * @param chunks how many chunks the store has
   */
  static long marks(long chunks) {
    return BYTES_PER_MARK * chunks;
  }

  /**
   * How much of the heap the marks of a collection may take now, in bytes.
   *
   * @param stateBytes to what weight the state may grow while the collection runs
   */
  static long mostForMarks(long stateBytes) {
    return mostForMarks(largestBytes(), stateBytes, survivingBytes());
  }

  /**
   * The same for any heap: a quarter, or less if that is not left. Not what is free at this moment
   * is asked: most of what is in use may be garbage, of which the JVM gets rid when it needs room.
   * An eighth stays free for everything else, what collections, scrubs and backups remember among
   * it.
   *
   * @param survivingBytes what was in use after the JVM has last collected garbage
   */
  static long mostForMarks(long heapBytes, long stateBytes, long survivingBytes) {
    long left = heapBytes - Math.max(stateBytes, survivingBytes) - heapBytes / 8;
    return Math.clamp(left, 0, heapBytes / 4);
  }

  /**
   * What was in use after the garbage of each part of the heap was last collected; garbage that has
   * come since does not count, nor what is new. The old generation is collected last of all, so
   * this may be far too low, but it is not too high.
   */
  private static long survivingBytes() {
    long bytes = 0;
    for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
      MemoryUsage after = pool.getType() == MemoryType.HEAP ? pool.getCollectionUsage() : null;
      bytes += after == null ? 0 : after.getUsed();
    }
    return bytes;
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
