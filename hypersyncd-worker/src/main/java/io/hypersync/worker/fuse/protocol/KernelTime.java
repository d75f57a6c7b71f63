package io.hypersync.worker.fuse.protocol;

/** Seconds and nanoseconds apart, as the kernel has them, and together, as everybody else does. */
final class KernelTime {
  private static final long NANOS = 1_000_000_000L;
  private static final long MAX_SECONDS = Long.MAX_VALUE / NANOS - 1;
  private static final long MIN_SECONDS = Long.MIN_VALUE / NANOS + 1;

  private KernelTime() {}

  /**
   * Nanoseconds since the epoch.
   *
   * @param seconds signed; years beyond 1677 to 2262 become the nearest that fits
   * @param nanos unsigned, below a billion where the kernel is honest
   */
  static long join(long seconds, int nanos) {
    long within = Math.min(Integer.toUnsignedLong(nanos), NANOS - 1);
    return Math.clamp(seconds, MIN_SECONDS, MAX_SECONDS) * NANOS + within;
  }

  /** The whole seconds, rounded towards the past. */
  static long seconds(long ns) {
    return Math.floorDiv(ns, NANOS);
  }

  /** What remains above {@link #seconds}. */
  static int nanos(long ns) {
    return (int) Math.floorMod(ns, NANOS);
  }
}
