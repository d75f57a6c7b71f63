package io.hypersync.cli.past;

import java.util.NavigableSet;
import java.util.OptionalLong;
import java.util.TreeSet;

/**
 * A binary search for the first bad one of some positions, of which some cannot be judged. The next
 * one is the middle of what is open, or the nearest to it that can be judged. Not thread-safe.
 */
public final class Bisection {
  private final NavigableSet<Long> skipped = new TreeSet<>();
  private long good;
  private long bad;

  /**
   * A search between two positions that were judged.
   *
   * @param good a position that is good
   * @param bad a later one that is bad
   * @throws IllegalArgumentException if it is not later
   */
  public Bisection(long good, long bad) {
    if (good >= bad) {
      throw new IllegalArgumentException("good " + good + " is not before bad " + bad);
    }
    this.good = good;
    this.bad = bad;
  }

  /** The position to judge next; empty if none is left that can be judged. */
  public OptionalLong next() {
    long middle = good + (bad - good) / 2;
    for (long distance = 0; ; distance++) {
      long low = middle - distance;
      long high = middle + distance;
      if (low <= good && high >= bad) {
        return OptionalLong.empty();
      }
      if (low > good && !skipped.contains(low)) {
        return OptionalLong.of(low);
      }
      if (high > good && high < bad && !skipped.contains(high)) {
        return OptionalLong.of(high);
      }
    }
  }

  /** This position is good. */
  public void good(long position) {
    good = position;
  }

  /** This position is bad. */
  public void bad(long position) {
    bad = position;
  }

  /** This position cannot be judged. */
  public void skip(long position) {
    skipped.add(position);
  }

  /** The last position that is known to be good. */
  public long lastGood() {
    return good;
  }

  /** The first position that is known to be bad. */
  public long firstBad() {
    return bad;
  }

  /** Whether there is nothing between the good one and the bad one. */
  public boolean isFound() {
    return bad - good == 1;
  }

  /** About how many positions must be judged yet. */
  public int stepsLeft() {
    return Long.SIZE - Long.numberOfLeadingZeros(bad - good - 1);
  }
}
