package io.hypersync.runtime.suspend;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

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
  private static final long NS_PER_SECOND = 1_000_000_000L;

  /** How often the two clocks are read until they are read close together. */
  private static final int TRIES = 3;

  /** Closer than this is close enough, in nanoseconds. */
  private static final long CLOSE_NS = 1_000_000;

  private static final MethodHandle CLOCK_GETTIME =
      Linker.nativeLinker()
          .downcallHandle(
              Linker.nativeLinker().defaultLookup().findOrThrow("clock_gettime"),
              FunctionDescriptor.of(
                  ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.ADDRESS),
              Linker.Option.critical(true));

  private BootClock() {}

  /** Nanoseconds since the machine was started, suspended or not. */
  public static long nanoTime() {
    long[] timespec = new long[2]; // time_t and long: 64 bits each on all 64-bit Linux
    try {
      int error = (int) CLOCK_GETTIME.invokeExact(CLOCK_BOOTTIME, MemorySegment.ofArray(timespec));
      if (error != 0) {
        throw new IllegalStateException("this kernel has no CLOCK_BOOTTIME");
      }
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) { // a downcall throws none of its own
      throw new IllegalStateException("clock_gettime could not be called", e);
    }
    return timespec[0] * NS_PER_SECOND + timespec[1];
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
