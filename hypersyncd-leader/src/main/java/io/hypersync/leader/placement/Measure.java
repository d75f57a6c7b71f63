package io.hypersync.leader.placement;

import java.util.Locale;

/** What makes work on a worker painful (hypersync.md 15.1, 15.2), and how much each counts. */
public enum Measure {
  CPU_UTILIZATION(0.30),
  MEMORY_PRESSURE(0.15),
  SYNC_LAG(0.20),
  COMMIT_RTT(0.15),
  AGENTS(0.20);

  private final double weight;

  Measure(double weight) {
    this.weight = weight;
  }

  /** The cost of a worker that is just at the limit; all together make 1. */
  double weight() {
    return weight;
  }

  /** As programs know it, such as {@code sync_lag}. */
  public String key() {
    return name().toLowerCase(Locale.ROOT);
  }
}
