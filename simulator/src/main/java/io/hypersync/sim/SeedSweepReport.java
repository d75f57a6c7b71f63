package io.hypersync.sim;

import java.util.List;
import java.util.Map;

/**
 * The result of a seed sweep, or its intermediate result.
 *
 * @param limits the limits of the seed sweep
 * @param histories number of histories that ended without a failure
 * @param steps number of simulated events in them, until they came to rest
 * @param entries total length of their logs
 * @param committed mutations whose callers got success
 * @param failed mutations whose callers got a definite error
 * @param unknown mutations whose callers got EIO
 * @param locks locks that were granted
 * @param faults number of injected faults
 * @param reaped orphans that were reaped
 * @param explained calls under strict reads for which a linearization was found
 * @param happened counts of rare events that must occur in some histories, by name
 * @param failures in the order in which they were found
 * @param elapsedNs wall time, in nanoseconds
 * @param cpuNs CPU time of all histories, in nanoseconds
 */
public record SeedSweepReport(
    SeedSweepLimits limits,
    long histories,
    long steps,
    long entries,
    long committed,
    long failed,
    long unknown,
    long locks,
    long faults,
    long reaped,
    long explained,
    Map<String, Long> happened,
    List<SimulationFailure> failures,
    long elapsedNs,
    long cpuNs) {
  private static final double NS_PER_MINUTE = 60e9;
  private static final double NS_PER_MS = 1e6;

  /** Histories per minute of wall time. */
  public double perMinute() {
    return elapsedNs == 0 ? 0 : histories * NS_PER_MINUTE / elapsedNs;
  }

  /**
   * CPU time of one history on average, in milliseconds; independent of other load on the machine.
   */
  public double cpuMsPerHistory() {
    return histories == 0 ? 0 : cpuNs / NS_PER_MS / histories;
  }
}
