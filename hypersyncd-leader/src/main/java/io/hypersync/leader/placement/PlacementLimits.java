package io.hypersync.leader.placement;

/**
 * What a worker must stay below to get agents (hypersync.md 15.2).
 *
 * @param cpu load of a processor, 0 to 1
 * @param memory share of memory that is not available, 0 to 1
 * @param syncLagMs how old what its mount shows may be, 95th percentile, in milliseconds
 * @param commitRttMs how long its commits may take, 95th percentile, in milliseconds
 * @param agents how many agents it may have
 */
public record PlacementLimits(
    double cpu, double memory, double syncLagMs, double commitRttMs, int agents) {
  /** The figures of hypersync.md 15.2 and 16.1. */
  public static final PlacementLimits DEFAULT = new PlacementLimits(0.85, 0.80, 50, 200, 40);

  /** The default shares of processor and memory, and these. */
  public static PlacementLimits of(long syncLagMs, long commitRttMs, int agents) {
    return new PlacementLimits(DEFAULT.cpu, DEFAULT.memory, syncLagMs, commitRttMs, agents);
  }
}
