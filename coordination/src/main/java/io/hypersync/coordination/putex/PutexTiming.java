package io.hypersync.coordination.putex;

/**
 * The variables of process-mutex.md, and what follows from them.
 *
 * @param renewalNs R: how often a holder runs its check and renews; 100 ms to an hour
 * @param failures F: how many intervals a renewal may be late; 1 to 1,000
 * @param confirmations C: how many intervals lie between a takeover and the start of the service,
 *     so in how many the service must be able to stop; 1 to 1,000
 */
public record PutexTiming(long renewalNs, int failures, int confirmations) {
  private static final long MIN_RENEWAL_NS = 100_000_000L;
  private static final long MAX_RENEWAL_NS = 3_600_000_000_000L;
  private static final int MAX_COUNT = 1_000;

  /**
   * By how much two clocks may differ in speed: one part in so many. Clocks that are steered by NTP
   * differ by one part in a thousand at most.
   */
  private static final int DRIFT_PARTS = 500;

  public PutexTiming {
    if (renewalNs < MIN_RENEWAL_NS || renewalNs > MAX_RENEWAL_NS) {
      throw new IllegalArgumentException("R must be 100 ms to 1 h");
    }
    if (failures < 1 || failures > MAX_COUNT) {
      throw new IllegalArgumentException("F must be 1 to 1,000");
    }
    if (confirmations < 1 || confirmations > MAX_COUNT) {
      throw new IllegalArgumentException("C must be 1 to 1,000");
    }
    if (failures + confirmations >= DRIFT_PARTS - 1) {
      // A holder would rely on a renewal for no longer than a check may take.
      throw new IllegalArgumentException(
          "F + C must be less than "
              + (DRIFT_PARTS - 1)
              + ", because clocks of different hosts differ: take a larger R");
    }
  }

  /** How long a health check may take at most: F * R. */
  public long checkLimitNs() {
    return failures * renewalNs;
  }

  /** How long the service may take to stop: C * R. */
  public long stopLimitNs() {
    return confirmations * renewalNs;
  }

  /**
   * For how long a record must have been unchanged before others take it: (F + 1) * R. One interval
   * more than F * R, because a holder that pauses for R and then checks for F * R renews so late.
   */
  public long patienceNs() {
    return patienceIntervals() * renewalNs;
  }

  /** The same, in intervals. */
  int patienceIntervals() {
    return failures + 1;
  }

  /**
   * For how long a holder trusts a renewal, from the moment before it was sent. A bit less than
   * {@link #patienceNs}, so that a clock that is slower than the others' harms nobody.
   */
  public long trustNs() {
    return patienceNs() - (patienceNs() + stopLimitNs()) / DRIFT_PARTS;
  }
}
