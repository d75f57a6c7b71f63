package io.hypersync.leader;

/**
 * When a worker gets a snapshot instead of the log, and how long it may take (hypersync.md 13.2).
 *
 * @param logEntries CATCHUP_LOG_THRESHOLD_ENTRIES: a worker that starts and is further behind than
 *     this gets a snapshot
 * @param installNs how long the leader keeps a snapshot, and the log behind it, for a worker that
 *     it has offered it to, in nanoseconds
 */
public record CatchUpLimits(long logEntries, long installNs) {
  /** 200,000 entries, one hour. */
  public static final CatchUpLimits DEFAULT = new CatchUpLimits(200_000, 3_600_000_000_000L);
}
