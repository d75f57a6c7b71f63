package io.hypersync.model.hash;

/**
 * Decides by rounds, in each of which both ways have hashed the same, whether vectors are the
 * faster way for inputs of one length. Single-threaded; knows no clock.
 */
final class VectorTrial {
  /** What is known so far. */
  enum Verdict {
    /** Another round has to tell. */
    OPEN,
    /** They are compiled, and faster if they have to be. */
    WON,
    /** They are not going to be. */
    LOST
  }

  /**
   * So long vectors may be slow: a daemon under load has thousands of methods compiled first. There
   * may also be no compiler that knows vectors.
   */
  static final long MAX_SLOW_NS = 30_000_000_000L;

  /**
   * What is compiled and wins not in so much practice will not: some processors do not gain. In
   * that time the compiler also gets through with what is called from there.
   */
  static final long MAX_TIED_NS = 3_000_000_000L;

  /** Vectors that are compiled take no longer than so many times the other way. */
  private static final int COMPILED = 2;

  /** In a row, since what is measured may have been interrupted. */
  private static final int WINS = 3;

  private final boolean hasToBeFaster;
  private long slowNs;
  private long tiedNs;
  private int winsInARow;

  /** Begins; {@code hasToBeFaster} unless it is enough that vectors are compiled. */
  VectorTrial(boolean hasToBeFaster) {
    this.hasToBeFaster = hasToBeFaster;
  }

  /**
   * One more round.
   *
   * @param vectorNs how long vectors took
   * @param otherNs how long the other way took for the same
   */
  Verdict round(long vectorNs, long otherNs) {
    boolean tied = vectorNs < COMPILED * otherNs;
    // Each has a limit of its own: what was slow for long is often compiled in the end.
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
