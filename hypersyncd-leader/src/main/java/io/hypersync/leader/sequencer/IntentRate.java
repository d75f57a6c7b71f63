package io.hypersync.leader.sequencer;

import org.HdrHistogram.Histogram;

/**
 * How many intents a worker sends in a second: the intent_rate histogram of hypersync.md 12.5.
 * Seconds in which none come are not in it. For figures alone: nothing is decided by it.
 */
final class IntentRate {
  private static final long SECOND_NS = 1_000_000_000;
  private static final int DIGITS = 2;

  private final Histogram perSecond = new Histogram(DIGITS);
  private long secondBeganNs;
  private long inThisSecond;

  IntentRate(long nowNs) {
    secondBeganNs = nowNs;
  }

  /** One more has been taken. */
  void add(long nowNs) {
    endSecond(nowNs);
    inThisSecond++;
  }

  /** In so many percent of the seconds that are over, no more than this came. */
  long percentile(double percent, long nowNs) {
    endSecond(nowNs);
    return perSecond.getValueAtPercentile(percent);
  }

  private void endSecond(long nowNs) {
    if (nowNs - secondBeganNs < SECOND_NS) {
      return;
    }
    if (inThisSecond > 0) {
      perSecond.recordValue(inThisSecond);
    }
    secondBeganNs = nowNs;
    inThisSecond = 0;
  }
}
