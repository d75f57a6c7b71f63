package io.hypersync.model.id;

/**
 * The idempotency key of a mutation: the leader commits at most one entry for it (hypersync.md
 * 8.2).
 *
 * @param client who asks
 * @param seqNo strictly increasing per client, from 1; never wraps
 */
public record IntentId(ClientId client, long seqNo) {
  /** Rejects a sequence number below 1. */
  public IntentId {
    if (seqNo < 1) {
      throw new IllegalArgumentException("seq_no must be at least 1, got " + seqNo);
    }
  }

  @Override
  public String toString() {
    return client + "/" + seqNo;
  }
}
