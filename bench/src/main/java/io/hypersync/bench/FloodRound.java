package io.hypersync.bench;

/**
 * The same work with nobody at the leader's port and with strangers there, one right after the
 * other.
 *
 * @param quiet without them
 * @param flooded with them
 * @param packets how many they sent
 * @param floodNs in how long, in nanoseconds
 */
record FloodRound(Sample quiet, Sample flooded, long packets, long floodNs) {
  private static final double NS_PER_S = 1e9;

  /** How many times as long the median takes while there are strangers. */
  double timesP50() {
    return (double) flooded.p50Ns() / quiet.p50Ns();
  }

  /** How many times as long one in a hundred takes while there are strangers. */
  double timesP99() {
    return (double) flooded.p99Ns() / quiet.p99Ns();
  }

  /** What strangers have sent. */
  double packetsPerSecond() {
    return packets * NS_PER_S / floodNs;
  }
}
