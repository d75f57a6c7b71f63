package io.hypersync.leader.daemon;

/**
 * The parts of an intent's way through the leader (docs/ARCHITECTURE.md): each begins where the one
 * before it ends.
 */
enum LeaderStage {
  /** From the intent's arrival until the last of its chunks is here; only where some were not. */
  UPLOAD,
  /** Until its turn: behind others, or because the log has no room ready. */
  QUEUE,
  /** Until it has its place: applied to S_head, its Merkle root computed, with the log. */
  SEQUENCE,
  /** Until it is durable: written and synced, after the batch before it. */
  SYNC,
  /** Until its ack is with the transport. */
  ACK,
  /** All of these. */
  TOTAL
}
