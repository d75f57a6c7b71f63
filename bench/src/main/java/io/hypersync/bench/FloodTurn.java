package io.hypersync.bench;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * Work that was measured while unauthenticated peers sent packets to the leader.
 *
 * @param sample times of the work
 * @param packets number sent
 * @param floodNs duration of the sending, in nanoseconds
 * @param before {@code handshakes} of the leader's status before it
 * @param after the same after it
 */
record FloodTurn(Sample sample, long packets, long floodNs, JsonNode before, JsonNode after) {
  private static final double NS_PER_S = 1e9;

  /** Returns the rate of the sent packets. */
  double packetsPerSecond() {
    return packets * NS_PER_S / floodNs;
  }

  /** Returns the ratio of this turn's p50 to that of a quiet turn. */
  double timesP50(Sample quiet) {
    return (double) sample.p50Ns() / quiet.p50Ns();
  }

  /** Returns the ratio of this turn's p99 to that of a quiet turn. */
  double timesP99(Sample quiet) {
    return (double) sample.p99Ns() / quiet.p99Ns();
  }

  /** Returns by how much a counter of {@code handshakes} grew during the turn. */
  long handshakes(String key) {
    return after.path(key).asLong() - before.path(key).asLong();
  }
}
