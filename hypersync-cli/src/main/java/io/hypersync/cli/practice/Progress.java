package io.hypersync.cli.practice;

/**
 * Decides when practice helps no more: when the rounds of some windows in a row were not faster
 * than those of the best one before. A pure function of the times that it is told.
 */
final class Progress {
  /** Long enough that a collection or a busy processor does not decide. */
  static final long WINDOW_NS = 100_000_000;

  /** Nor do fewer rounds: a busy host has longer windows. */
  static final int WINDOW_ROUNDS = 20;

  /** So many windows in a row without progress are enough: the compilers work behind. */
  static final int PATIENCE = 3;

  /** A window counts as progress if its rounds take less than this share of the best one's. */
  private static final double FASTER = 0.95;

  private long windowBeganNs;
  private int rounds;
  private long bestNs = Long.MAX_VALUE;
  private int without;

  Progress(long nowNs) {
    this.windowBeganNs = nowNs;
  }

  /** A round has ended; returns whether another one would not help. */
  boolean roundEnded(long nowNs) {
    rounds++;
    long windowNs = nowNs - windowBeganNs;
    if (windowNs < WINDOW_NS || rounds < WINDOW_ROUNDS) {
      return false;
    }
    long roundNs = windowNs / rounds;
    if (roundNs < bestNs * FASTER) {
      without = 0;
    } else {
      without++;
    }
    bestNs = Math.min(bestNs, roundNs);
    windowBeganNs = nowNs;
    rounds = 0;
    return without >= PATIENCE;
  }
}
