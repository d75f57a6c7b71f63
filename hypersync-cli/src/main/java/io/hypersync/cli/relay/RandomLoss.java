package io.hypersync.cli.relay;

import java.util.SplittableRandom;

/**
 * Which packets of one direction are lost: each by itself, or all of some time, as on a radio link
 * (the Gilbert model in time, with exponential durations).
 */
final class RandomLoss {
  private final SplittableRandom random;
  private boolean isBurst;
  private boolean hasBegun;
  private long changeNs;

  RandomLoss(SplittableRandom random) {
    this.random = random;
  }

  /** Whether a packet that arrives now is lost; times must not go back. */
  boolean isLost(NetworkConditions conditions, long nowNs) {
    double lost = conditions.lost();
    double burstNs = conditions.burst().toNanos();
    if (burstNs == 0 || lost <= 0) {
      hasBegun = false;
      return random.nextDouble() < lost;
    }
    if (!hasBegun) {
      hasBegun = true;
      isBurst = true; // ends at once
      changeNs = nowNs;
    }
    while (nowNs - changeNs >= 0) {
      isBurst = !isBurst;
      double meanNs = isBurst ? burstNs : burstNs * (1 - lost) / lost;
      changeNs += (long) (-meanNs * Math.log(1 - random.nextDouble())) + 1;
    }
    return isBurst;
  }
}
