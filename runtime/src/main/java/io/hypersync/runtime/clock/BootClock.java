package io.hypersync.runtime.clock;

/**
 * CLOCK_BOOTTIME: like {@link System#nanoTime}, which is CLOCK_MONOTONIC, but it goes on while the
 * machine is suspended. So what has to end in real time does: a lease, a lock, the belief that a
 * leader is there. Any thread.
 *
 * <p>{@code clock_gettime} is answered in user space (vDSO) and blocks for nothing, so the call is
 * made without leaving Java's state and may write into the heap: no memory to free, none to share.
 */
public final class BootClock {
  private static final int CLOCK_BOOTTIME = 7;

  /** How often the two clocks are read until they are read close together. */
  private static final int TRIES = 3;

  /** Closer than this is close enough, in nanoseconds. */
  private static final long CLOSE_NS = 1_000_000;

  private BootClock() {}

  /** Nanoseconds since the machine was started, suspended or not. */
  public static long nanoTime() {
    return KernelClock.read(CLOCK_BOOTTIME);
  }

  /**
   * How long the machine was suspended since its start, in nanoseconds; right to a millisecond,
   * unless the thread is interrupted three times between two lines.
   */
  public static long suspendedNs() {
    long closest = Long.MAX_VALUE;
    long suspended = 0;
    for (int i = 0; i < TRIES && closest > CLOSE_NS; i++) {
      long before = System.nanoTime();
      long boot = nanoTime();
      long apart = System.nanoTime() - before;
      if (apart < closest) {
        closest = apart;
        suspended = boot - before - apart / 2;
      }
    }
    return suspended;
  }
}
