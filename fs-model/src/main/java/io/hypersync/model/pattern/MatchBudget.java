package io.hypersync.model.pattern;

/**
 * How many steps the comparison of one path with all patterns may take: patterns are somebody's
 * text, and whoever compares has more to do. Not thread-safe.
 */
public final class MatchBudget {
  /** About a quarter of a millisecond. */
  public static final int STEPS = 50_000;

  private int left;

  /** Allows so many steps. */
  public MatchBudget(int steps) {
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
  public boolean isSpent() {
    return left == 0;
  }
}
