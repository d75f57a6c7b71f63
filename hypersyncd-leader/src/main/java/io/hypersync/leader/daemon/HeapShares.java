package io.hypersync.leader.daemon;

import io.hypersync.leader.quota.WorkerQuotas;

/**
 * What may become of the heap of this process. A state that was allowed to grow to its share can
 * always be replayed with the same heap: a replay holds the state, what the last two runs of
 * entries have added to it, and the index of intents, and none of these is larger then.
 */
public final class HeapShares {
  /** A replay in a heap that has shrunk, or with a larger share before, goes on up to this. */
  private static final double MOST_AT_START = 0.8;

  /** For the index of intents: ten million of callers with many in a heap of 1.3 GiB. */
  private static final int INTENTS = 8;

  private static final long MIB = 1L << 20;

  private HeapShares() {}

  /** How heavy a state may be with which this process starts, in bytes. */
  public static long mostAtStart() {
    return (long) (MOST_AT_START * largestBytes());
  }

  /** How much the index of intents may take, in bytes. */
  public static long intents() {
    return largestBytes() / INTENTS;
  }

  /** Twice the largest heap, in MiB: for advice. */
  public static long twiceMib() {
    return 2 * largestBytes() / MIB;
  }

  /** How heavy the state may become, in bytes. */
  static long state(double share) {
    return (long) (share * largestBytes());
  }

  static WorkerQuotas quotas() {
    return WorkerQuotas.ofHeap(largestBytes());
  }

  private static long largestBytes() {
    return Runtime.getRuntime().maxMemory();
  }
}
