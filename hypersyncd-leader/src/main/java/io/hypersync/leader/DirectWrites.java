package io.hypersync.leader;

/**
 * Decides when the agent waits for the disk itself instead of leaving that to the log's thread.
 * With one caller at a time, which waits anyway, this saves waking two threads, one after the
 * other, and the entry and its ack are one message. But while it waits nothing else is answered. So
 * it does so only after a while in which no intent had company, and not for long after a write has
 * been slow: what it saves is a tenth of a millisecond, and heartbeats, locks and reads of chunks
 * must not wait for a slow disk again and again.
 */
final class DirectWrites {
  private static final int ALONE_BEFORE = 8;
  private static final long SLOW_NS = 2_000_000;

  /**
   * How many turns are left to the log's thread for each {@link #SLOW_NS} that a write took: as
   * many as would have saved that time. A disk of which one write in a hundred is slow still has
   * three of four written here.
   */
  private static final int PAUSE_AFTER_SLOW = 20;

  private static final int LONGEST_PAUSE = 10_000;

  /** How many turns in a row had a lone intent; below zero after a slow write. */
  private int alone;

  /**
   * Whether to wait for the disk. To be asked before every turn in which something can be
   * sequenced.
   *
   * @param isLone whether it is one intent, and nothing else is on its way to the disk
   */
  boolean isWorthwhile(boolean isLone) {
    alone = isLone ? Math.min(alone + 1, ALONE_BEFORE) : Math.min(alone, 0);
    return alone == ALONE_BEFORE;
  }

  /** So long it took, in nanoseconds: the longer, the more turns are left to the log's thread. */
  void took(long nanos) {
    if (nanos >= SLOW_NS) {
      alone = -(int) Math.min(nanos / SLOW_NS * PAUSE_AFTER_SLOW, LONGEST_PAUSE);
    }
  }
}
