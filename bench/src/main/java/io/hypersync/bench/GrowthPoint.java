package io.hypersync.bench;

/**
 * What the daemons take when the log has had a number of entries.
 *
 * @param entries how many
 * @param perSecond entries per second on the way from the point before
 * @param liveBytes bytes of all files
 * @param leader of the leader
 * @param worker of the worker
 */
record GrowthPoint(long entries, double perSecond, long liveBytes, Daemon leader, Daemon worker) {
  /**
   * Figures of one daemon.
   *
   * @param disk its state directory, after the restarts and upkeep
   * @param memory its memory right after the churn
   * @param stopped its restart after SIGTERM
   * @param killed its restart after SIGKILL in the middle of some churn
   */
  record Daemon(StateDisk disk, ResidentMemory memory, Restart stopped, Restart killed) {}
}
