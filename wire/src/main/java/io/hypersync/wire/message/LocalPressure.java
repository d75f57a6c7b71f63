package io.hypersync.wire.message;

/**
 * How full a worker's machine is (hypersync.md 9.5, 12.4): for people, and for a leader that has to
 * choose whom to send less.
 *
 * @param cpuPercent runnable tasks for each processor, 0 to 100, where 100 is one or more; or
 *     {@link #UNKNOWN}
 * @param memoryPercent how much of the machine's memory cannot be had any more, likewise
 * @param diskPercent how full the filesystem of the worker's state is, likewise
 */
public record LocalPressure(int cpuPercent, int memoryPercent, int diskPercent) {
  /** A part that is not known. */
  public static final int UNKNOWN = -1;

  /** Full. */
  public static final int MAX_PERCENT = 100;

  /** Nothing is known. */
  public static final LocalPressure NOT_KNOWN = new LocalPressure(UNKNOWN, UNKNOWN, UNKNOWN);
}
