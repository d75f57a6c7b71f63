package io.hypersync.wire.message;

/**
 * How loaded a worker's host is, and what its mount and its agents feel of that (hypersync.md 9.5,
 * 12.4, 15.2). Shown to users, and what the leader places agents by.
 *
 * @param cpuPercent runnable tasks per processor, a moving average, 0 to 100, where 100 means one
 *     or more; or {@link #UNKNOWN}
 * @param memoryPercent the share of memory that is not available, a moving average, 0 to 100, or
 *     {@link #UNKNOWN}
 * @param diskPercent the share of the worker state's filesystem that is used, 0 to 100, or {@link
 *     #UNKNOWN}
 * @param syncLagUs from the arrival of an entry to its visibility, 95th percentile of the last
 *     seconds, in microseconds; or {@link #UNKNOWN} if none came
 * @param commitRttUs from sending an intent to its durable entry's arrival, 95th percentile of the
 *     last seconds, in microseconds; or {@link #UNKNOWN} if none was sent
 * @param agents how many agents have changed something lately, or {@link #UNKNOWN}
 */
public record LocalPressure(
    int cpuPercent,
    int memoryPercent,
    int diskPercent,
    int syncLagUs,
    int commitRttUs,
    int agents) {
  /** A value that is not known. */
  public static final int UNKNOWN = -1;

  /** The largest value of each percentage. */
  public static final int MAX_PERCENT = 100;

  /** More agents than this are told as so many. */
  public static final int MAX_AGENTS = 1_000_000;

  public static final LocalPressure NOT_KNOWN = new LocalPressure(UNKNOWN, UNKNOWN, UNKNOWN);

  /** The same with this lag, in microseconds; or {@link #UNKNOWN}. */
  public LocalPressure withSyncLag(int us) {
    return new LocalPressure(cpuPercent, memoryPercent, diskPercent, us, commitRttUs, agents);
  }

  /** The load of a host alone. */
  public LocalPressure(int cpuPercent, int memoryPercent, int diskPercent) {
    this(cpuPercent, memoryPercent, diskPercent, UNKNOWN, UNKNOWN, UNKNOWN);
  }
}
