package io.hypersync.leader;

/**
 * Decides when the agent's thread writes and syncs a commit itself instead of handing it to the
 * log's writer thread.
 *
 * <p>With one caller at a time, which waits for its ack anyway, this saves two thread wake-ups in a
 * row, and the entry and its ack leave in one message. While the agent's thread waits for the disk,
 * it answers nothing else. So it writes only after several consecutive turns with a lone intent,
 * and not for a while after a slow write: a direct write saves a tenth of a millisecond, and
 * heartbeats, locks and chunk reads must not wait for a slow disk again and again.
 */
final class LoneCommitPolicy {
  private static final int ALONE_BEFORE = 8;
  private static final long SLOW_NS = 2_000_000;

  /**
   * For how many turns the log's writer thread takes over, per {@link #SLOW_NS} that a write took:
   * as many as would have saved that time. On a disk where one write in a hundred is slow, three of
   * four writes are still made on the agent's thread.
   */
  private static final int PAUSE_AFTER_SLOW = 20;

  private static final int LONGEST_PAUSE = 10_000;

  /** Consecutive turns with a lone intent; negative while paused after a slow write. */
  private int alone;

  /**
   * Whether the agent's thread should write this turn's commit itself. Must be called exactly once
   * before every turn in which something can be sequenced, because it counts the turns.
   *
   * @param isLone whether exactly one intent is waiting and nothing else is on its way to the disk
   */
  boolean isWorthwhile(boolean isLone) {
    alone = isLone ? Math.min(alone + 1, ALONE_BEFORE) : Math.min(alone, 0);
    return alone == ALONE_BEFORE;
  }

  /**
   * Reports how long a direct write took, in nanoseconds: the slower it was, the more turns are
   * left to the log's writer thread.
   */
  void took(long nanos) {
    if (nanos >= SLOW_NS) {
      alone = -(int) Math.min(nanos / SLOW_NS * PAUSE_AFTER_SLOW, LONGEST_PAUSE);
    }
  }
}
