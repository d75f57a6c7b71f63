package io.hypersync.snapshot.schedule;

/**
 * How often snapshots are taken, and how many are kept.
 *
 * @param intervalNs SNAPSHOT_INTERVAL in nanoseconds: after this long one is taken, if anything has
 *     changed
 * @param retain RETAIN_SNAPSHOTS: so many are kept, besides those that somebody has named or
 *     pinned; at least 1
 * @param retainDaily so many older ones are kept besides, one of each day
 * @param retainBytes so many bytes may be kept by snapshots alone, about, besides what those keep
 *     that somebody has named or pinned
 */
public record SnapshotPolicy(long intervalNs, int retain, int retainDaily, long retainBytes) {
  /** Every five minutes, and three days of those (hypersync.md 14.1). */
  public static final SnapshotPolicy DEFAULT = new SnapshotPolicy(300_000_000_000L, 864);

  /** Without older ones, and without a limit of bytes. */
  public SnapshotPolicy(long intervalNs, int retain) {
    this(intervalNs, retain, 0, Long.MAX_VALUE);
  }

  /** Without a limit of bytes. */
  public SnapshotPolicy(long intervalNs, int retain, int retainDaily) {
    this(intervalNs, retain, retainDaily, Long.MAX_VALUE);
  }
}
