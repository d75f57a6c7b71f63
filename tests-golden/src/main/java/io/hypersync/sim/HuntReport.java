package io.hypersync.sim;

import java.util.List;
import java.util.Map;

/**
 * How a hunt went, or goes so far.
 *
 * @param limits what was wanted
 * @param histories how many have ended well
 * @param steps how many events happened in them, until they rested
 * @param entries how long their logs got
 * @param committed mutations that were told success
 * @param failed mutations that were told a definite error
 * @param unknown mutations that were told EIO
 * @param locks locks that were granted
 * @param faults how many things went wrong on purpose
 * @param reaped orphans that were reaped
 * @param explained calls under strict reads whose answers have an order
 * @param happened how often came about what has to in some of them, by its name
 * @param failures in the order in which they were met
 * @param elapsedNs how long it took
 * @param cpuNs how long CPUs worked for it
 */
public record HuntReport(
    HuntLimits limits,
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

  /** Histories that end in a minute. */
  public double perMinute() {
    return elapsedNs == 0 ? 0 : histories * NS_PER_MINUTE / elapsedNs;
  }

  /** What a history costs one CPU, in milliseconds: does not depend on what else is running. */
  public double cpuMsPerHistory() {
    return histories == 0 ? 0 : cpuNs / NS_PER_MS / histories;
  }
}
