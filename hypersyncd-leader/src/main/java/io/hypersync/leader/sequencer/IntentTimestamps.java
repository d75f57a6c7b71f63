package io.hypersync.leader.sequencer;

/**
 * Timestamps of an intent at each stage in the leader (docs/ARCHITECTURE.md), in nanoseconds of the
 * leader's monotonic clock. For statistics only: no decision depends on them. Single-threaded.
 */
public final class IntentTimestamps {
  private final long receivedNs;
  private long completeNs;
  private long takenNs;
  private long sequencedNs;

  /** Timestamps of an intent that has just been received. */
  public IntentTimestamps(long receivedNs) {
    this.receivedNs = receivedNs;
    this.completeNs = receivedNs;
  }

  /** The last chunk that the intent waited for has arrived. */
  public void complete(long nowNs) {
    completeNs = nowNs;
  }

  /**
   * Records when the intent's turn came, and that the log has accepted its entry at {@code nowNs}.
   */
  public void sequenced(long turnNs, long nowNs) {
    takenNs = turnNs;
    sequencedNs = nowNs;
  }

  /** When the intent was received. */
  public long receivedNs() {
    return receivedNs;
  }

  /** When all its chunks were present; the time of receipt if it waited for none. */
  public long completeNs() {
    return completeNs;
  }

  /** When its turn came. */
  public long takenNs() {
    return takenNs;
  }

  /** When the log had accepted its entry. */
  public long sequencedNs() {
    return sequencedNs;
  }
}
