package io.hypersync.worker.intents;

/**
 * When a mutation passed each of its stages (docs/ARCHITECTURE.md), in nanoseconds of the worker's
 * monotonic clock; 0 for a stage that it has not reached. For statistics only: no decision depends
 * on them. Handed from thread to thread with its {@link Mutation}; only the thread that owns it
 * writes.
 */
public final class MutationTimestamps {
  private final long receivedNs;
  private final long hashNs;
  private final long submittedNs;
  private long sentNs;
  private long arrivedNs;
  private long appliedNs;
  private long visibleNs;

  /**
   * Creates the timestamps of a mutation that is about to be handed to the agent.
   *
   * @param receivedNs when its request was read
   * @param hashNs how long splitting, hashing and storing its bytes took; 0 if it has none
   * @param submittedNs when it was handed to the agent
   */
  public MutationTimestamps(long receivedNs, long hashNs, long submittedNs) {
    this.receivedNs = receivedNs;
    this.hashNs = hashNs;
    this.submittedNs = submittedNs;
  }

  /** Records when the intent was sent to the leader; called for the first sending only. */
  public void sent(long nowNs) {
    sentNs = nowNs;
  }

  /**
   * Records that the entry is applied and not visible yet.
   *
   * @param entryArrivedNs when the entry had arrived and was known to be durable
   */
  public void applied(long entryArrivedNs, long nowNs) {
    arrivedNs = entryArrivedNs;
    appliedNs = nowNs;
  }

  /** Records that the entry is visible, after its invalidations. */
  public void visible(long nowNs) {
    visibleNs = nowNs;
  }

  /** When the request was read. */
  public long receivedNs() {
    return receivedNs;
  }

  /** How long splitting, hashing and storing its bytes took; a duration. */
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

  /** When the entry had arrived and was known to be durable. */
  public long arrivedNs() {
    return arrivedNs;
  }

  /** When its entry was applied. */
  public long appliedNs() {
    return appliedNs;
  }

  /** When the entry became visible. */
  public long visibleNs() {
    return visibleNs;
  }
}
