package io.hypersync.leader.placement;

import io.hypersync.wire.message.LocalPressure;
import java.util.EnumMap;
import java.util.Map;

/**
 * What the leader believes of an {@link Observation}. Whatever a worker says is brought into a
 * range first, and is never better than what the leader sees.
 *
 * @param isKnown whether the worker has said how loaded its host is, and it can be true
 * @param cpu load of a processor, 0 to 1
 * @param memory share of memory that is not available, 0 to 1
 * @param syncLagMs milliseconds
 * @param commitRttMs milliseconds
 * @param agents as it says; 0 if it does not
 */
record Load(
    boolean isKnown, double cpu, double memory, double syncLagMs, double commitRttMs, int agents) {

  /** A cost beyond twice the limit says nothing more. */
  private static final double MOST = 2;

  /**
   * Reports come every 100 ms, and one tells of what was on its way when the one before was made: a
   * worker that is always at the head looks so late.
   */
  private static final long REPORTING_NS = 250_000_000;

  private static final double US_PER_MS = 1_000;
  private static final double NS_PER_MS = 1_000_000;

  static Load of(Observation seen) {
    LocalPressure said = seen.said();
    // No host uses no memory at all.
    boolean isKnown = said.cpuPercent() >= 0 && said.memoryPercent() > 0;
    double oneWayMs = Math.max(0, seen.seenRttNs()) / NS_PER_MS / 2;
    double lateMs = Math.max(0, seen.seenLagNs() - REPORTING_NS) / NS_PER_MS;
    return new Load(
        isKnown,
        share(said.cpuPercent()),
        share(said.memoryPercent()),
        Math.max(Math.max(0, said.syncLagUs()) / US_PER_MS + oneWayMs, lateMs),
        Math.max(Math.max(0, said.commitRttUs()) / US_PER_MS, 2 * oneWayMs),
        Math.clamp(said.agents(), 0, LocalPressure.MAX_AGENTS));
  }

  private static double share(int percent) {
    return Math.clamp(percent / 100.0, 0, 1);
  }

  /** How near the limits it is: 1 is at the limit, 2 is the most. Without the agents. */
  Map<Measure, Double> ratios(PlacementLimits limits) {
    Map<Measure, Double> ratios = new EnumMap<>(Measure.class);
    ratios.put(Measure.CPU_UTILIZATION, ratio(cpu, limits.cpu()));
    ratios.put(Measure.MEMORY_PRESSURE, ratio(memory, limits.memory()));
    ratios.put(Measure.SYNC_LAG, ratio(syncLagMs, limits.syncLagMs()));
    ratios.put(Measure.COMMIT_RTT, ratio(commitRttMs, limits.commitRttMs()));
    return ratios;
  }

  /** How near a limit a value is, 0 to 2. */
  static double ratio(double value, double limit) {
    return Math.clamp(value / limit, 0, MOST);
  }
}
