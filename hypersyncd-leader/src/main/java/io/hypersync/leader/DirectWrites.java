package io.hypersync.leader;

/**
 * Decides when the agent waits for the disk itself instead of leaving that to the log's thread.
 * With one caller at a time, which waits anyway, this saves waking two threads, one after the
 * other, and the entry and its ack are one message. But while it waits nothing else is answered. So
 * it does so only after a while in which no commit had company, and not for long after a write has
 * been slow: then the disk may hang, and heartbeats, locks and reads of chunks must not hang with
 * it.
 */
final class DirectWrites {
  private static final int ALONE_BEFORE = 8;
  private static final long SLOW_NS = 5_000_000;
  private static final int PAUSE_AFTER_SLOW = 1_000;

  /** How many commits in a row had no company; below zero after a slow one. */
  private int alone;

  /**
   * Whether to wait for the disk. To be asked before every turn in which something is sequenced.
   *
   * @param isLone whether it is one intent, and nothing else is on its way to the disk
   */
  boolean isWorthwhile(boolean isLone) {
    alone = isLone ? Math.min(alone + 1, ALONE_BEFORE) : Math.min(alone, 0);
    return alone == ALONE_BEFORE;
  }

  /** So long it took, in nanoseconds. */
  void took(long nanos) {
    if (nanos > SLOW_NS) {
      alone = -PAUSE_AFTER_SLOW;
    }
  }
}
