package io.hypersync.sim;

/**
 * How long a hunt goes on.
 *
 * @param firstSeed of the first history; those after it have the seeds after it
 * @param seeds how many histories at most
 * @param steps of each history, see {@link SimulationOptions}
 * @param longestNs after how long no history is begun any more
 * @param threads how many histories run at the same time
 * @param failures after how many failures no history is begun any more
 */
public record HuntLimits(
    long firstSeed, long seeds, int steps, long longestNs, int threads, int failures) {
  /** So many histories, however long they take, on all CPUs, up to the first failure. */
  public static HuntLimits of(long firstSeed, long seeds, int steps) {
    return new HuntLimits(
        firstSeed, seeds, steps, Long.MAX_VALUE, Runtime.getRuntime().availableProcessors(), 1);
  }
}
