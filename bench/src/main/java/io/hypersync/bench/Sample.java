package io.hypersync.bench;

import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * Result of one measurement.
 *
 * @param operation what was measured
 * @param place the kind of filesystem
 * @param threads how many at once
 * @param operations number of calls, all threads together
 * @param elapsedNs duration of the measurement
 * @param bestNs the 10th percentile of one call's time, which other load on the machine affects
 *     least
 * @param p50Ns the median
 * @param p99Ns the 99th percentile
 * @param cpu what the daemons of the filesystem have taken meanwhile
 */
record Sample(
    Operation operation,
    MeasuredFilesystem.Kind place,
    int threads,
    long operations,
    long elapsedNs,
    long bestNs,
    long p50Ns,
    long p99Ns,
    DaemonCpu cpu) {
  private static final double NS_PER_S = 1e9;

  /** Returns the processor time of all daemons for one operation, in nanoseconds, if known. */
  OptionalDouble cpuNsPerOperation() {
    OptionalLong all = cpu.allNs();
    return all.isEmpty() || operations == 0
        ? OptionalDouble.empty()
        : OptionalDouble.of((double) all.getAsLong() / operations);
  }

  /** Returns the rate of all threads together. */
  double operationsPerSecond() {
    return elapsedNs == 0 ? 0 : operations * NS_PER_S / elapsedNs;
  }
}
