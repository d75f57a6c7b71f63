package io.hypersync.wire.message;

/**
 * How loaded a worker's host is (hypersync.md 9.5, 12.4). Shown to users; meant also for a leader
 * that must choose which worker to send less to.
 *
 * @param cpuPercent runnable tasks per processor, 0 to 100, where 100 means one or more; or {@link
 *     #UNKNOWN}
 * @param memoryPercent the share of memory that is not available, 0 to 100, or {@link #UNKNOWN}
 * @param diskPercent the share of the worker state's filesystem that is used, 0 to 100, or {@link
 *     #UNKNOWN}
 */
public record LocalPressure(int cpuPercent, int memoryPercent, int diskPercent) {
  /** A value that is not known. */
  public static final int UNKNOWN = -1;

  /** The largest value of each. */
  public static final int MAX_PERCENT = 100;

  public static final LocalPressure NOT_KNOWN = new LocalPressure(UNKNOWN, UNKNOWN, UNKNOWN);
}
