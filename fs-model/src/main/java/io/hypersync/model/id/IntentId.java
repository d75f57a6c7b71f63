package io.hypersync.model.id;

/**
 * The idempotency key of a mutation: the leader commits at most one entry for each (hypersync.md
 * 8.2).
 *
 * @param client the client that makes the call
 * @param seqNo strictly increasing per client, from 1; never wraps
 */
public record IntentId(ClientId client, long seqNo) {
  /** Rejects a sequence number below 1. */
  public IntentId {
    if (seqNo < 1) {
      throw new IllegalArgumentException("seq_no must be at least 1, got " + seqNo);
    }
  }

  /**
   * Parses what {@link #toString} prints.
   *
   * @throws IllegalArgumentException if the text is anything else
   */
  public static IntentId parse(String text) {
    int slash = text.indexOf('/');
    if (slash < 0) {
      throw new IllegalArgumentException("expected a client_id and a number, got " + text);
    }
    return new IntentId(
        ClientId.parse(text.substring(0, slash)), Long.parseLong(text.substring(slash + 1)));
  }

  @Override
  public String toString() {
    return client + "/" + seqNo;
  }
}
