package io.hypersync.runtime.clock;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * {@code clock_gettime}. It blocks for nothing, so the call is made without leaving Java's state
 * and may write into the heap: no memory to free, none to share. Any thread.
 */
final class KernelClock {
  private static final long NS_PER_SECOND = 1_000_000_000L;

  private static final MethodHandle CLOCK_GETTIME =
      Linker.nativeLinker()
          .downcallHandle(
              Linker.nativeLinker().defaultLookup().findOrThrow("clock_gettime"),
              FunctionDescriptor.of(
                  ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.ADDRESS),
              Linker.Option.critical(true));

  private KernelClock() {}

  /**
   * What a clock says, in nanoseconds.
   *
   * @param clock a {@code clockid_t} of Linux
   */
  static long read(int clock) {
    long[] timespec = new long[2]; // time_t and long: 64 bits each on all 64-bit Linux
    try {
      int error = (int) CLOCK_GETTIME.invokeExact(clock, MemorySegment.ofArray(timespec));
      if (error != 0) {
        throw new IllegalStateException("this kernel has no clock " + clock);
      }
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) { // a downcall throws none of its own
      throw new IllegalStateException("clock_gettime could not be called", e);
    }
    return timespec[0] * NS_PER_SECOND + timespec[1];
  }
}
