package io.hypersync.wire.admission;

/**
 * Counters of initial packets and handshakes since the leader began to listen. Connecting workers
 * are included: a peer is unauthenticated until its handshake completes.
 *
 * @param begun handshakes begun
 * @param opened of them, those that became a worker's connection
 * @param failed of them, those that ended before
 * @param asked initial packets answered with a Retry
 * @param refused initial packets dropped because of the limits
 * @param badTokens initial packets dropped because their token proves no address
 * @param stray packets dropped because no worker sends them: other versions of QUIC, and initial
 *     packets that are too short (RFC 9000 14.1)
 */
public record HandshakeCounts(
    long begun, long opened, long failed, long asked, long refused, long badTokens, long stray) {
  public static final HandshakeCounts NONE = new HandshakeCounts(0, 0, 0, 0, 0, 0, 0);

  /** The increments since an earlier value of the same counters. */
  public HandshakeCounts since(HandshakeCounts earlier) {
    return new HandshakeCounts(
        begun - earlier.begun,
        opened - earlier.opened,
        failed - earlier.failed,
        asked - earlier.asked,
        refused - earlier.refused,
        badTokens - earlier.badTokens,
        stray - earlier.stray);
  }
}
