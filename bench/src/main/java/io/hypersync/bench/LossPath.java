package io.hypersync.bench;

import java.time.Duration;
import java.util.Locale;

/**
 * What a path between the leader and a worker does to packets.
 *
 * @param lost the share of packets that is lost, 0 to 1
 * @param burst how many are lost in a row, on average; 1 for each by itself
 * @param delay in each direction
 */
record LossPath(double lost, int burst, Duration delay) {
  private static final double PERCENT = 100;

  String percent() {
    return String.format(Locale.ROOT, "%.1f", lost * PERCENT);
  }

  String text() {
    String inARow = burst > 1 ? ", " + burst + " in a row" : "";
    return percent() + " % lost" + inARow + ", " + delay.toMillis() + " ms each way";
  }
}
