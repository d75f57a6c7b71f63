package io.hypersync.leader.sequencer;

import io.hypersync.runtime.stages.Buckets;
import org.HdrHistogram.Histogram;

/**
 * How long updating fs_merkle_root took after each op, since the start (hypersync.md 8.1.1,
 * merkle_update_latency_us). Used on the agent's thread only.
 */
public final class RootLatencies {
  private static final long FINEST_NS = 64;
  private static final long MAX_NS = 60_000_000_000L;
  private static final int DIGITS = 2;
  private static final double NS_PER_US = 1_000;

  private final Histogram nanos = new Histogram(FINEST_NS, MAX_NS, DIGITS);

  /** From 1 microsecond on: most take less than ten. */
  private final Buckets buckets = new Buckets(1_000, 14);

  void add(long durationNs) {
    buckets.add(durationNs);
    nanos.recordValue(Math.clamp(durationNs, 0, MAX_NS));
  }

  /** The same for metrics, in nanoseconds. */
  public Buckets buckets() {
    return buckets;
  }

  /** How many roots were computed. */
  public long count() {
    return nanos.getTotalCount();
  }

  /**
   * A percentile of the update times in microseconds, rounded to a tenth; 0 before the first
   * update.
   *
   * @param percentile 0 to 100, 100 for the longest
   */
  public double microseconds(double percentile) {
    return Math.round(10 * nanos.getValueAtPercentile(percentile) / NS_PER_US) / 10.0;
  }
}
