package io.hypersync.sim.check;

/** A worker that does not hear the leader refuses mutations (hypersync.md 6.4, 22.1(6)). */
public final class SilenceChecker {
  private final String worker;
  private final long toleranceNs;
  private long silentNs;
  private long checkedNs;

  /**
   * Begins to listen.
   *
   * @param toleranceNs after how long without a message the mount must be read-only
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
   * Says how things are now.
   *
   * @param paused whether the worker stands still, and so cannot notice anything
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
