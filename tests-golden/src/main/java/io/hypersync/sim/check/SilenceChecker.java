package io.hypersync.sim.check;

/**
 * Checks that a worker which receives nothing from its leader refuses mutations (hypersync.md 6.4,
 * 22.1(6)).
 */
public final class SilenceChecker {
  private final String worker;
  private final long toleranceNs;
  private long silentNs;
  private long checkedNs;

  /**
   * Creates the checker of a worker that starts now.
   *
   * @param toleranceNs the mount must be read-only after this long without a message, in
   *     nanoseconds
   */
  public SilenceChecker(String worker, long nowNs, long toleranceNs) {
    this.worker = worker;
    this.toleranceNs = toleranceNs;
    this.checkedNs = nowNs;
  }

  /** A message from the leader has arrived. */
  public void heard() {
    silentNs = 0;
  }

  /**
   * Checks the worker at this moment; to be called after each step.
   *
   * @param paused whether the worker is paused, so that it cannot notice the silence
   * @param writable whether the worker accepts mutations
   */
  public void check(long nowNs, boolean paused, boolean writable) {
    if (!paused) {
      silentNs += nowNs - checkedNs;
    }
    checkedNs = nowNs;
    if (writable && silentNs > toleranceNs) {
      throw new Violation(
          worker
              + " takes mutations though it has not heard the leader for "
              + silentNs / 1_000_000
              + " ms");
    }
  }
}
