package io.hypersync.worker.fuse.dev;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Whether a descriptor of this process is readable. */
public final class Readiness {
  private static final short POLLIN = 1;

  /** Offsets in struct pollfd, after the descriptor. */
  private static final long EVENTS = 4;

  private static final long RETURNED_EVENTS = 6;

  private static final MethodHandle POLL =
      Linker.nativeLinker()
          .downcallHandle(
              Linker.nativeLinker().defaultLookup().findOrThrow("poll"),
              FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT),
              Linker.Option.critical(true)); // It returns at once, so it may access heap memory.

  private Readiness() {}

  /**
   * Whether a read would not block now. Takes some hundred nanoseconds; any thread.
   *
   * @param descriptor of a file or socket; meaningless if it is closed
   */
  public static boolean isReadable(int descriptor) {
    MemorySegment pollfd = MemorySegment.ofArray(new int[] {descriptor, 0});
    pollfd.set(JAVA_SHORT, EVENTS, POLLIN);
    try {
      int found = (int) POLL.invokeExact(pollfd, 1L, 0);
      return found > 0 && (pollfd.get(JAVA_SHORT, RETURNED_EVENTS) & POLLIN) != 0;
    } catch (Throwable e) {
      throw Downcalls.unexpected(e);
    }
  }
}
