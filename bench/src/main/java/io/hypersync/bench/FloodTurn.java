package io.hypersync.bench;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * Work while strangers were at the leader's port.
 *
 * @param sample how long it took
 * @param packets how many they sent
 * @param floodNs in how long, in nanoseconds
 * @param before what the leader had made of first packets when they came, as its status has it
 * @param after the same when they had gone
 */
record FloodTurn(Sample sample, long packets, long floodNs, JsonNode before, JsonNode after) {
  private static final double NS_PER_S = 1e9;

  /** What strangers have sent. */
  double packetsPerSecond() {
    return packets * NS_PER_S / floodNs;
  }

  /** How many times as long the median takes as without strangers. */
  double timesP50(Sample quiet) {
    return (double) sample.p50Ns() / quiet.p50Ns();
  }

  /** How many times as long one in a hundred takes as without strangers. */
  double timesP99(Sample quiet) {
    return (double) sample.p99Ns() / quiet.p99Ns();
  }

  /** How many first packets the leader has made this of. */
  long handshakes(String key) {
    return after.path(key).asLong() - before.path(key).asLong();
  }
}
