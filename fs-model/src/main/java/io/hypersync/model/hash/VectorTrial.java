package io.hypersync.model.hash;

/**
 * Decides whether vector code is faster than scalar code for inputs of one length, from the times
 * of rounds in which both hash the same data. Reads no clock itself. Not thread-safe.
 */
final class VectorTrial {
  /** The decision after the rounds so far. */
  enum Verdict {
    /** Not decided yet; another round is needed. */
    OPEN,
    /** The vector code is compiled, and faster than scalar code where that is required. */
    WON,
    /** The vector code has not become so within its time limits and is given up. */
    LOST
  }

  /**
   * Total time that vector code may spend being slow before it is given up: under load a daemon has
   * thousands of other methods compiled first. The limit also ends the trial on a JVM without a
   * compiler for vectors.
   */
  static final long MAX_SLOW_NS = 30_000_000_000L;

  /**
   * Total time that compiled vector code may spend without winning: by then it never will, because
   * some processors gain nothing. The time also lets the compiler finish the methods that the
   * vector code calls.
   */
  static final long MAX_TIED_NS = 3_000_000_000L;

  /**
   * Compiled vector code takes less than this many times as long as scalar code; anything slower is
   * not compiled yet.
   */
  private static final int COMPILED = 2;

  /** Wins in a row that are needed, because a single measurement may have been interrupted. */
  private static final int WINS = 3;

  private final boolean hasToBeFaster;
  private long slowNs;
  private long tiedNs;
  private int winsInARow;

  /**
   * Starts a trial.
   *
   * @param hasToBeFaster whether vector code must be faster to win; if not, it must only be
   *     compiled
   */
  VectorTrial(boolean hasToBeFaster) {
    this.hasToBeFaster = hasToBeFaster;
  }

  /**
   * Adds the times of one round.
   *
   * @param vectorNs how long vector code took, in nanoseconds
   * @param otherNs how long scalar code took for the same input, in nanoseconds
   */
  Verdict round(long vectorNs, long otherNs) {
    boolean tied = vectorNs < COMPILED * otherNs;
    // Separate limits, because code that was slow for long is often compiled in the end.
    if (tied) {
      tiedNs += vectorNs;
    } else {
      slowNs += vectorNs;
    }
    winsInARow = tied && (!hasToBeFaster || vectorNs < otherNs) ? winsInARow + 1 : 0;
    if (winsInARow == WINS) {
      return Verdict.WON;
    }
    return slowNs > MAX_SLOW_NS || tiedNs > MAX_TIED_NS ? Verdict.LOST : Verdict.OPEN;
  }
}
