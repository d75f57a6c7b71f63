package io.hypersync.bench;

import java.time.Duration;
import java.util.List;

/**
 * What was measured of one way to send chunks on one kind of path.
 *
 * @param mode the leader's {@code data_plane}
 * @param lost the share of packets that the path loses, 0 to 1
 * @param delay of the path in each direction
 * @param small times of writes of 64 KiB, in nanoseconds, sorted: from the end of the call until
 *     the last of the other mounts shows it
 * @param large the same of 1 MiB
 * @param bytesPerSecond of 64 MiB in writes of 1 MiB, until the last mount shows all
 * @param sentPerByte what the leader has sent through the path, for each byte that was written
 * @param asked the share of chunks that did not come before a reader had asked for them
 */
record LossFound(
    String mode,
    double lost,
    Duration delay,
    long[] small,
    long[] large,
    double bytesPerSecond,
    double sentPerByte,
    double asked) {
  private static final double P50 = 0.5;
  private static final double P99 = 0.99;

  long smallP50() {
    return at(small, P50);
  }

  long smallP99() {
    return at(small, P99);
  }

  long largeP50() {
    return at(large, P50);
  }

  long largeP99() {
    return at(large, P99);
  }

  private static long at(long[] sorted, double quantile) {
    return sorted[Math.min(sorted.length - 1, (int) (sorted.length * quantile))];
  }

  boolean isSamePath(LossFound other) {
    return lost == other.lost && delay.equals(other.delay);
  }

  /** What was found in another mode on the same path. */
  LossFound in(String otherMode, List<LossFound> all) {
    return all.stream()
        .filter(found -> found.mode.equals(otherMode) && isSamePath(found))
        .findFirst()
        .orElseThrow();
  }
}
