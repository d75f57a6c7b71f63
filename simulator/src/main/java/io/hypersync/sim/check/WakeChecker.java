package io.hypersync.sim.check;

/**
 * Checks that a worker whose machine was suspended for as long as a leader may be silent knows, the
 * first time that it works again, that it is stale: its mount is read-only.
 */
public final class WakeChecker {
  private final String worker;
  private final long leaderTimeoutNs;
  private long suspendedNs;

  /** A machine that was never suspended. */
  public WakeChecker(String worker, long leaderTimeoutNs) {
    this.worker = worker;
    this.leaderTimeoutNs = leaderTimeoutNs;
  }

  /**
   * The worker has worked once.
   *
   * @param nowSuspendedNs for how long its machine has been suspended so far
   */
  public void worked(long nowSuspendedNs, boolean isWritable) {
    long sleptNs = nowSuspendedNs - suspendedNs;
    suspendedNs = nowSuspendedNs;
    if (sleptNs >= leaderTimeoutNs && isWritable) {
      throw new Violation("worker " + worker + " wakes up and takes mutations");
    }
  }
}
