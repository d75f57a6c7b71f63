package io.hypersync.e2e.load;

import java.util.List;

/** Durations of calls, in nanoseconds, in ascending order. */
public record Latencies(List<Long> sortedNs) {
  /** Accepts the durations in any order. */
  public Latencies {
    sortedNs = sortedNs.stream().sorted().toList();
  }

  public int calls() {
    return sortedNs.size();
  }

  /**
   * The duration that this percentage of the calls did not exceed, in milliseconds.
   *
   * @param percent above 0, at most 100
   */
  public double percentileMs(double percent) {
    if (sortedNs.isEmpty()) {
      throw new AssertionError("no call was made");
    }
    int rank = (int) Math.ceil(percent / 100 * sortedNs.size());
    return sortedNs.get(Math.max(1, rank) - 1) / 1e6;
  }

  @Override
  public String toString() {
    return "%d calls, p50 %.2f ms, p99 %.2f ms"
        .formatted(calls(), percentileMs(50), percentileMs(99));
  }
}
