package io.hypersync.bench;

import java.util.List;

/**
 * The pauses of one daemon's JVM.
 *
 * @param daemon its name
 * @param ns each pause in nanoseconds, ascending
 */
record DaemonPauses(String daemon, List<Long> ns) {
  /** No pause should be longer than this. */
  static final long LIMIT_NS = 5_000_000;

  private static final double PERCENT = 100;

  DaemonPauses {
    ns = ns.stream().sorted().toList();
  }

  /**
   * Returns a percentile of the pauses in nanoseconds; 0 if there are none.
   *
   * @param percent above 0, to 100
   */
  long percentileNs(int percent) {
    return ns.isEmpty() ? 0 : ns.get((int) Math.ceil(ns.size() * percent / PERCENT) - 1);
  }

  /** Returns the longest pause in nanoseconds; 0 if there are none. */
  long longestNs() {
    return ns.isEmpty() ? 0 : ns.getLast();
  }

  /** Returns how many pauses were longer than {@link #LIMIT_NS}. */
  long tooLong() {
    return ns.stream().filter(pause -> pause > LIMIT_NS).count();
  }
}
