package io.hypersync.leader;

/**
 * When a worker gets a snapshot instead of the log, and how long it may take (hypersync.md 13.2).
 *
 * @param logEntries CATCHUP_LOG_THRESHOLD_ENTRIES: a worker that starts and is further behind than
 *     this gets a snapshot
 * @param maxLagEntries MAX_LAG_ENTRIES: a worker that is connected, or comes back, and is further
 *     behind than this gets a snapshot (12.4)
 * @param maxLagNs MAX_LAG_TIME: so does one that has not applied yet what was durable so long ago,
 *     in nanoseconds
 * @param installNs how long the leader keeps a snapshot, and the log behind it, for a worker that
 *     it has offered it to, in nanoseconds
 */
public record CatchUpLimits(long logEntries, long maxLagEntries, long maxLagNs, long installNs) {
  /** 200,000 entries; 2,000,000 entries or half an hour; one hour. */
  public static final CatchUpLimits DEFAULT =
      new CatchUpLimits(200_000, 2_000_000, 1_800_000_000_000L, 3_600_000_000_000L);
}
