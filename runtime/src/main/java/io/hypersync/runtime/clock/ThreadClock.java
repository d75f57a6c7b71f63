package io.hypersync.runtime.clock;

/**
 * CLOCK_THREAD_CPUTIME_ID: the processor time that the calling thread has taken. The kernel is
 * asked (there is no vDSO for it), which takes a few hundred nanoseconds.
 */
public final class ThreadClock {
  private static final int CLOCK_THREAD_CPUTIME_ID = 3;

  private ThreadClock() {}

  /** Processor time of this thread since its start, in nanoseconds. */
  public static long nanoTime() {
    return KernelClock.read(CLOCK_THREAD_CPUTIME_ID);
  }
}
