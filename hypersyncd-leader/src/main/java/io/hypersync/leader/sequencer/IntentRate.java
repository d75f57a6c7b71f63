package io.hypersync.leader.sequencer;

import org.HdrHistogram.Histogram;

/**
 * Intents per second of one worker: the intent_rate histogram of hypersync.md 12.5. Seconds without
 * intents are not recorded. For statistics only: no decision depends on it.
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

  /** Counts one intent. */
  void add(long nowNs) {
    endSecond(nowNs);
    inThisSecond++;
  }

  /**
   * The number of intents that this percentage of the finished, recorded seconds did not exceed.
   *
   * @param percent 0 to 100
   */
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
