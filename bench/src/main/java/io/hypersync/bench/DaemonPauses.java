package io.hypersync.bench;

import java.util.List;

/**
 * For how long a daemon stood still, each time.
 *
 * @param daemon who it is
 * @param ns each pause; ascending
 */
record DaemonPauses(String daemon, List<Long> ns) {
  /** What no pause is to take. */
  static final long LIMIT_NS = 5_000_000;

  private static final double PERCENT = 100;

  /** Sorts them. */
  DaemonPauses {
    ns = ns.stream().sorted().toList();
  }

  /**
   * The shortest pause that this share of them is not longer than, in nanoseconds; 0 if there was
   * none.
   *
   * @param percent above 0, to 100
   */
  long percentileNs(int percent) {
    return ns.isEmpty() ? 0 : ns.get((int) Math.ceil(ns.size() * percent / PERCENT) - 1);
  }

  /** The longest, in nanoseconds; 0 if there was none. */
  long longestNs() {
    return ns.isEmpty() ? 0 : ns.getLast();
  }

  /** How many were longer than {@link #LIMIT_NS}. */
  long tooLong() {
    return ns.stream().filter(pause -> pause > LIMIT_NS).count();
  }
}
