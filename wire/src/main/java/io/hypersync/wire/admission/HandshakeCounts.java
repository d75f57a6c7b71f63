package io.hypersync.wire.admission;

/**
 * What strangers have asked for since the leader began to listen, workers that connect among them.
 *
 * @param begun handshakes that were begun
 * @param opened of them, those that became a worker's connection
 * @param failed of them, those that ended before
 * @param asked first packets that were answered by asking the sender to prove its address
 * @param refused first packets that were dropped, because too many came
 * @param badTokens first packets that were dropped because what they brought proves no address
 * @param stray packets that were dropped because no worker sends such: other versions of QUIC, and
 *     first packets that are too short (RFC 9000 14.1)
 */
public record HandshakeCounts(
    long begun, long opened, long failed, long asked, long refused, long badTokens, long stray) {
  /** None. */
  public static final HandshakeCounts NONE = new HandshakeCounts(0, 0, 0, 0, 0, 0, 0);

  /** What was added since. */
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
