package io.hypersync.runtime.stages;

import org.HdrHistogram.Histogram;

/**
 * Percentiles of durations of the last 5 to 10 seconds. A duration costs one increment; windows are
 * added up when somebody asks. Not thread-safe.
 */
public final class RecentPercentile {
  private static final long WINDOW_NS = StageHistograms.WINDOW_NS;
  private static final long FINEST_NS = 1_000;
  private static final long MAX_NS = 600_000_000_000L;
  private static final int DIGITS = 2;

  private Histogram present = histogram();
  private Histogram last = histogram();
  private long windowBeganNs;

  /**
   * Creates one without durations.
   *
   * @param nowNs the time of a monotonic clock, as for all other methods
   */
  public RecentPercentile(long nowNs) {
    this.windowBeganNs = nowNs;
  }

  /** Adds a duration in nanoseconds; a negative one counts as 0, one above 600 s as 600 s. */
  public void add(long durationNs, long nowNs) {
    advance(nowNs);
    present.recordValue(Math.clamp(durationNs, 0, MAX_NS));
  }

  /**
   * The duration in nanoseconds that this share of them does not exceed, within 1 %; -1 if there
   * was none.
   *
   * @param percentile 0 to 100
   */
  public long at(double percentile, long nowNs) {
    advance(nowNs);
    if (present.getTotalCount() + last.getTotalCount() == 0) {
      return -1;
    }
    Histogram sum = histogram();
    sum.add(present);
    sum.add(last);
    return sum.getValueAtPercentile(percentile);
  }

  private void advance(long nowNs) {
    long sinceNs = nowNs - windowBeganNs;
    if (sinceNs < WINDOW_NS) {
      return;
    }
    windowBeganNs = nowNs;
    Histogram oldest = last;
    last = present;
    oldest.reset();
    present = oldest;
    if (sinceNs >= 2 * WINDOW_NS) { // after such a pause the window before is not recent either
      last.reset();
    }
  }

  private static Histogram histogram() {
    return new Histogram(FINEST_NS, MAX_NS, DIGITS);
  }
}
