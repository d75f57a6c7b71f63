package io.hypersync.leader.reservation;

/**
 * How many steps the comparison of one path with all patterns may take: patterns are somebody's
 * text, and entries are logged by one thread. Not thread-safe.
 */
final class MatchBudget {
  /** About a quarter of a millisecond. */
  static final int STEPS = 50_000;

  private int left;

  MatchBudget(int steps) {
    left = steps;
  }

  /** Takes a step; false if there is none left. */
  boolean spend() {
    if (left == 0) {
      return false;
    }
    left--;
    return true;
  }

  /** Whether a comparison may have been broken off. */
  boolean isSpent() {
    return left == 0;
  }
}
