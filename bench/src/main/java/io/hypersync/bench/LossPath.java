package io.hypersync.bench;

import java.time.Duration;
import java.util.Locale;

/**
 * What a path between the leader and a worker does to packets.
 *
 * @param lost the share of packets that is lost, 0 to 1
 * @param burst how long all are lost in one go, on average; zero for each by itself
 * @param delay in each direction
 */
record LossPath(double lost, Duration burst, Duration delay) {
  private static final double PERCENT = 100;

  String percent() {
    return String.format(Locale.ROOT, "%.1f", lost * PERCENT);
  }

  String text() {
    String inBursts = burst.isZero() ? "" : " in bursts of " + burst.toMillis() + " ms";
    return percent() + " % lost" + inBursts + ", " + delay.toMillis() + " ms each way";
  }
}
