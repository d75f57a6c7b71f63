package io.hypersync.worker.fuse.protocol;

/**
 * Converts between the kernel's pair of seconds and nanoseconds and a single count of nanoseconds.
 */
final class KernelTime {
  private static final long NANOS = 1_000_000_000L;
  private static final long MAX_SECONDS = Long.MAX_VALUE / NANOS - 1;
  private static final long MIN_SECONDS = Long.MIN_VALUE / NANOS + 1;

  private KernelTime() {}

  /**
   * Nanoseconds since the epoch.
   *
   * @param seconds signed; times outside of the years 1677 to 2262 are clamped
   * @param nanos unsigned; values of a billion and more are clamped
   */
  static long join(long seconds, int nanos) {
    long within = Math.min(Integer.toUnsignedLong(nanos), NANOS - 1);
    return Math.clamp(seconds, MIN_SECONDS, MAX_SECONDS) * NANOS + within;
  }

  /** The whole seconds, rounded towards the past. */
  static long seconds(long ns) {
    return Math.floorDiv(ns, NANOS);
  }

  /** The nanoseconds within the second, 0 to 999,999,999. */
  static int nanos(long ns) {
    return (int) Math.floorMod(ns, NANOS);
  }
}
