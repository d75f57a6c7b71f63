package io.hypersync.bench;

import java.util.List;

/**
 * What was measured of one way to send chunks on one kind of path.
 *
 * @param mode the leader's {@code data_plane}
 * @param path on which
 * @param small times of writes of 64 KiB, in nanoseconds, sorted: from the end of the call until
 *     the last of the other mounts shows it
 * @param large the same of 1 MiB
 * @param bytesPerSecond of 64 MiB in writes of 1 MiB, until the last mount shows all
 * @param sentPerByte what the leader has sent through the path, for each byte that was written
 * @param asked the share of chunks that did not come before a reader had asked for them
 */
record LossFound(
    String mode,
    LossPath path,
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

  /** What was found in another mode on the same path. */
  LossFound in(String otherMode, List<LossFound> all) {
    return all.stream()
        .filter(found -> found.mode.equals(otherMode) && found.path.equals(path))
        .findFirst()
        .orElseThrow();
  }
}
