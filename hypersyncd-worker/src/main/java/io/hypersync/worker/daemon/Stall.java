package io.hypersync.worker.daemon;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Notices that other threads make no progress, by looking at them often. Time is counted in ten
 * slices, at most one for each look: when the looks themselves come late, the whole process had no
 * processor or stood still, and nobody could have made progress. So a busy machine, a pause of the
 * JVM or a SIGSTOP does not pass for threads that are held up in the kernel.
 *
 * <p>One thread looks; any thread makes progress.
 */
final class Stall {
  private static final int SLICES = 10;

  private final long sliceNs;
  private final AtomicLong made = new AtomicLong();
  private long seen;
  private int silentSlices;
  private long sliceEndNs;

  /**
   * Nothing has stalled yet.
   *
   * @param limitNs how long nothing may get on, in nanoseconds of a process that runs
   */
  Stall(long limitNs, long nowNs) {
    this.sliceNs = limitNs / SLICES;
    this.sliceEndNs = nowNs + sliceNs;
  }

  /** Something has got on. */
  void progress() {
    made.incrementAndGet();
  }

  /** Whether nothing has got on for too long; to be called many times within the limit. */
  boolean isStalled(long nowNs) {
    long now = made.get();
    if (now != seen) {
      seen = now;
      silentSlices = 0;
      sliceEndNs = nowNs + sliceNs;
    } else if (nowNs - sliceEndNs >= 0) {
      silentSlices++;
      sliceEndNs = nowNs + sliceNs;
    }
    return silentSlices >= SLICES;
  }
}
