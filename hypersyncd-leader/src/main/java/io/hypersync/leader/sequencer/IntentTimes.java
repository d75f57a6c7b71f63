package io.hypersync.leader.sequencer;

/**
 * When an intent passed the stations of its way through the leader (docs/ARCHITECTURE.md), in
 * nanoseconds of the leader's monotonic clock. For figures alone: nothing is decided by it.
 * Single-threaded.
 */
public final class IntentTimes {
  private final long receivedNs;
  private long completeNs;
  private long takenNs;
  private long sequencedNs;

  /** Of an intent that has just come. */
  public IntentTimes(long receivedNs) {
    this.receivedNs = receivedNs;
    this.completeNs = receivedNs;
  }

  /** The last chunk that it waited for is here. */
  public void complete(long nowNs) {
    completeNs = nowNs;
  }

  /** It has been its turn from {@code turnNs} on, and is with the log now. */
  public void sequenced(long turnNs, long nowNs) {
    takenNs = turnNs;
    sequencedNs = nowNs;
  }

  /** When it came. */
  public long receivedNs() {
    return receivedNs;
  }

  /** When all its bytes were here; as it came, if it did not wait for any. */
  public long completeNs() {
    return completeNs;
  }

  /** When its turn came. */
  public long takenNs() {
    return takenNs;
  }

  /** When it had its place in the log, and the log had it. */
  public long sequencedNs() {
    return sequencedNs;
  }
}
