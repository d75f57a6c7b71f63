package io.hypersync.worker.intents;

/**
 * When a mutation passed the stations of its way (docs/ARCHITECTURE.md), in nanoseconds of the
 * worker's monotonic clock; 0 where it has not been. For figures alone: nothing is decided by it.
 * Goes from thread to thread with its {@link Mutation}, and only the one that has it writes.
 */
public final class MutationTimes {
  private final long receivedNs;
  private final long hashNs;
  private final long submittedNs;
  private long sentNs;
  private long arrivedNs;
  private long appliedNs;
  private long visibleNs;

  /**
   * Of a mutation that is about to be handed to the agent.
   *
   * @param receivedNs when the request that asks for it was read
   * @param hashNs how much of the time since then its bytes took: split, hashed, stored here; 0 if
   *     it has none
   */
  public MutationTimes(long receivedNs, long hashNs, long submittedNs) {
    this.receivedNs = receivedNs;
    this.hashNs = hashNs;
    this.submittedNs = submittedNs;
  }

  /** Its intent goes to the leader; what is sent again later was sent now. */
  public void sent(long nowNs) {
    sentNs = nowNs;
  }

  /** Its entry is applied, and visible to nobody yet. */
  public void applied(long entryArrivedNs, long nowNs) {
    arrivedNs = entryArrivedNs;
    appliedNs = nowNs;
  }

  /** Its entry is visible, and the kernel has forgotten what that contradicts. */
  public void visible(long nowNs) {
    visibleNs = nowNs;
  }

  /** When the request that asks for it was read. */
  public long receivedNs() {
    return receivedNs;
  }

  /** How long its bytes took, a duration. */
  public long hashNs() {
    return hashNs;
  }

  /** When it was handed to the agent. */
  public long submittedNs() {
    return submittedNs;
  }

  /** When its intent was first sent. */
  public long sentNs() {
    return sentNs;
  }

  /** When its entry was here, and known to be durable. */
  public long arrivedNs() {
    return arrivedNs;
  }

  /** When its entry was applied. */
  public long appliedNs() {
    return appliedNs;
  }

  /** When its entry was visible. */
  public long visibleNs() {
    return visibleNs;
  }
}
