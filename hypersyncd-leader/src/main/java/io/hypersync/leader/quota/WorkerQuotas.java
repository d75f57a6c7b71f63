package io.hypersync.leader.quota;

/**
 * The most that the leader keeps for one worker. A worker that behaves gets nowhere near, but for
 * {@link #pendingIntentBytes}, which is a share: its callers wait a little longer then.
 *
 * @param openLeases nodes that are open there (hypersync.md 6.8); as many again may still be held
 *     from before its last Hello
 * @param locks that its processes hold, one owner's of one file counted as one, and pieces of them
 *     (hypersync.md 10.2)
 * @param lockWaits requests that wait for a lock
 * @param unconfirmedAnswers to its lock messages, and the pieces that each of them could give back
 * @param pendingIntentBytes heap for intents that wait, of all workers together; of what is left
 *     one worker may have half
 * @param unaskedBytes chunks that have come before an intent which mentions them; what arrives
 *     beyond it is dropped, and asked for when there is one
 * @param silentSessions connections that have not said Hello
 */
public record WorkerQuotas(
    int openLeases,
    int locks,
    int lockWaits,
    int unconfirmedAnswers,
    long pendingIntentBytes,
    long unaskedBytes,
    int silentSessions) {
  /** A lease is an entry of a set; its id is the node's own. */
  private static final int LEASE_BYTES = 48;

  /** What is held now, and what was held before the last Hello. */
  private static final int LEASE_SETS = 2;

  /** A piece, its range, what finds it, and the same once more in an answer. */
  private static final int LOCK_BYTES = 256;

  private static final int MOST_LEASES = 1 << 20;
  private static final int MOST_LOCKS = 1 << 15;
  private static final int MOST_WAITS = 1_024;
  private static final long LEAST_INTENT_BYTES = 8L << 20;
  private static final long UNASKED_BYTES = 256L << 20;
  private static final int SILENT_SESSIONS = 4;

  /** One worker can take so much of the heap with each of leases, locks, and intents: 1/32. */
  private static final int SHARE = 32;

  /**
   * For a leader with this heap.
   *
   * @param maxHeapBytes the most that the heap may become
   */
  public static WorkerQuotas ofHeap(long maxHeapBytes) {
    long share = maxHeapBytes / SHARE;
    int leases = (int) Math.min(MOST_LEASES, share / (LEASE_SETS * LEASE_BYTES));
    int locks = (int) Math.min(MOST_LOCKS, share / LOCK_BYTES);
    return new WorkerQuotas(
        leases,
        locks,
        MOST_WAITS,
        locks,
        Math.max(LEAST_INTENT_BYTES, share),
        UNASKED_BYTES,
        SILENT_SESSIONS);
  }
}
