package io.hypersync.sim.check;

import java.util.function.LongSupplier;

/**
 * Checks that a worker which receives nothing from its leader refuses mutations (hypersync.md 6.4,
 * 22.1(6)).
 */
public final class PartitionChecker {
  private final String worker;
  private final LongSupplier awakeNs;
  private final long toleranceNs;
  private long heardNs;

  /**
   * Creates the checker of a worker that starts now.
   *
   * @param awakeNs monotonic time in nanoseconds without the worker's pauses, in which it cannot
   *     notice the silence
   * @param toleranceNs the mount must be read-only after this long without a message, in
   *     nanoseconds
   */
  public PartitionChecker(String worker, LongSupplier awakeNs, long toleranceNs) {
    this.worker = worker;
    this.awakeNs = awakeNs;
    this.toleranceNs = toleranceNs;
    this.heardNs = awakeNs.getAsLong();
  }

  /** A message from the leader has arrived. */
  public void heard() {
    heardNs = awakeNs.getAsLong();
  }

  /** Checks the worker at this moment; to be called after each step. */
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
