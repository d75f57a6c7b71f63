package io.hypersync.leader.daemon;

import io.hypersync.leader.quota.WorkerQuotas;

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

  /** {@code PageSet}, while it grows. */
  private static final long BYTES_PER_PAGE = 64;

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

  /** How many pages a collection may remember, in a sixteenth of the heap. */
  static int mostPages() {
    return (int) Math.min(1 << 24, largestBytes() / 16 / BYTES_PER_PAGE);
  }

  static WorkerQuotas quotas() {
    return WorkerQuotas.ofHeap(largestBytes());
  }

  private static long largestBytes() {
    return Runtime.getRuntime().maxMemory();
  }
}
