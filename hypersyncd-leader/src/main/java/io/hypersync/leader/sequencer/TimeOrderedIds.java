package io.hypersync.leader.sequencer;

import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.OpId;
import io.hypersync.runtime.agent.Entropy;

/**
 * Generates ids that sort by time: UUIDs of version 7 with the time in 60 bits (RFC 9562, 5.7 and
 * 6.2, method 3), then 62 random bits.
 *
 * <pre>
 *   0                       48      52                    64  66                     128
 *   +-----------------------+-------+---------------------+---+----------------------+
 *   | milliseconds since    | 7     | 1/4096 of a         | 2 | random               |
 *   | 1970                  |       | millisecond         |   |                      |
 *   +-----------------------+-------+---------------------+---+----------------------+
 * </pre>
 *
 * <p>A node's id is its position in the trie of all nodes. Nodes created one after another are
 * neighbours there, so nodes that are used together share inner nodes: a new node has about half as
 * many inner nodes above it as one with a random id, and those are in the processor's cache,
 * because the previous new node has just been hashed (hypersync.md 8.1.1 asks for structures that
 * are good at appending).
 */
final class TimeOrderedIds {
  private static final long NS_PER_MS = 1_000_000;
  private static final long VERSION_7 = 7L << 12;
  private static final long VARIANT = 0b10L << 62;
  private static final int RANDOM_SHIFT = 2;

  private TimeOrderedIds() {}

  /**
   * The id of a new node; never {@code LogEntry.NO_NODE}.
   *
   * @param timeNs since 1970
   */
  static NodeId node(long timeNs, Entropy entropy) {
    return new NodeId(high(timeNs), low(entropy));
  }

  /**
   * The id of an op.
   *
   * @param timeNs since 1970
   */
  static OpId op(long timeNs, Entropy entropy) {
    return new OpId(high(timeNs), low(entropy));
  }

  private static long high(long timeNs) {
    long ms = Math.floorDiv(timeNs, NS_PER_MS);
    long fraction = (Math.floorMod(timeNs, NS_PER_MS) << 12) / NS_PER_MS;
    return (ms << 16) | VERSION_7 | fraction;
  }

  private static long low(Entropy entropy) {
    return VARIANT | (entropy.nextLong() >>> RANDOM_SHIFT);
  }
}
