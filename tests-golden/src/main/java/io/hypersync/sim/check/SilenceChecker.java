package io.hypersync.sim.check;

import java.util.function.LongSupplier;

/** A worker that does not hear the leader refuses mutations (hypersync.md 6.4, 22.1(6)). */
public final class SilenceChecker {
  private final String worker;
  private final LongSupplier awakeNs;
  private final long toleranceNs;
  private long heardNs;

  /**
   * Begins to listen.
   *
   * @param awakeNs time in nanoseconds, without what the worker was paused for: it notices nothing
   *     then
   * @param toleranceNs after how long without a message the mount must be read-only
   */
  public SilenceChecker(String worker, LongSupplier awakeNs, long toleranceNs) {
    this.worker = worker;
    this.awakeNs = awakeNs;
    this.toleranceNs = toleranceNs;
    this.heardNs = awakeNs.getAsLong();
  }

  /** A message from the leader has arrived. */
  public void heard() {
    heardNs = awakeNs.getAsLong();
  }

  /** Checks, after an event anywhere, whether the mount may be writable. */
  public void check(boolean writable) {
    long silentNs = awakeNs.getAsLong() - heardNs;
    if (writable && silentNs > toleranceNs) {
      throw new Violation(
          worker
              + " takes mutations though it has not heard the leader for "
              + silentNs / 1_000_000
              + " ms");
    }
  }
}
