package io.hypersync.bench;

/**
 * What one measurement gave.
 *
 * @param operation what was done
 * @param place on what kind of filesystem
 * @param threads by how many threads at once
 * @param operations how often, all threads together
 * @param elapsedNs in how long
 * @param bestNs what the fastest tenth stayed below, which other load on the machine disturbs least
 * @param p50Ns the median of one operation's time
 * @param p99Ns one in a hundred took longer
 */
record Sample(
    Operation operation,
    Place.Kind place,
    int threads,
    long operations,
    long elapsedNs,
    long bestNs,
    long p50Ns,
    long p99Ns) {
  private static final double NS_PER_S = 1e9;

  /** All threads together. */
  double operationsPerSecond() {
    return elapsedNs == 0 ? 0 : operations * NS_PER_S / elapsedNs;
  }
}
