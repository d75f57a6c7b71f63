package io.hypersync.leader.session;

/**
 * How long a standby has been on its way to what was durable here once. As for a worker's lag the
 * goal is set anew whenever it is reached, so it is at most about twice as long as an entry takes
 * from this log to the standby's disk. On the agent's thread.
 */
public final class StandbyLag {
  private long syncedIndex;
  private long goalIndex;
  private long goalNs;

  /**
   * Takes what a standby reports.
   *
   * @param synced what it has on its disk; 0 if it is not complete
   * @param durable the newest entry that is durable here
   */
  void reported(long synced, long durable, long nowNs) {
    if (synced >= goalIndex || goalNs == 0) {
      goalIndex = durable;
      goalNs = nowNs;
    }
    syncedIndex = synced;
  }

  /** In nanoseconds; 0 if it has all that was asked for. */
  public long ns(long nowNs) {
    return syncedIndex >= goalIndex ? 0 : nowNs - goalNs;
  }
}
