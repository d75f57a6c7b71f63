package io.hypersync.leader.quota;

/**
 * The most that the leader keeps for one worker. A worker that behaves stays far below, except for
 * {@link #pendingIntentBytes}, which is a share: when it is exceeded, callers wait a little longer.
 *
 * @param openLeases nodes open on the worker (hypersync.md 6.8); the same number again may still be
 *     held from before its last Hello
 * @param locks held by its processes, counting all of one owner on one file as one; also the limit
 *     of their pieces (hypersync.md 10.2)
 * @param lockWaits requests that wait for a lock
 * @param unconfirmedAnswers unconfirmed answers to its lock messages, plus the pieces that undoing
 *     them could restore
 * @param pendingIntentBytes heap for waiting intents of all workers together; one worker may have
 *     half of what the others leave
 * @param unrequestedBytes chunks that arrived before an intent that mentions them; those beyond it
 *     are dropped, and requested once an intent needs them
 * @param silentSessions connections that have not sent Hello
 */
public record WorkerQuotas(
    int openLeases,
    int locks,
    int lockWaits,
    int unconfirmedAnswers,
    long pendingIntentBytes,
    long unrequestedBytes,
    int silentSessions) {
  /** Heap of a lease: an entry of a set; the id object is the node's own. */
  private static final int LEASE_BYTES = 48;

  /** Leases held now, and leases from before the last Hello. */
  private static final int LEASE_SETS = 2;

  /**
   * Heap of a piece of a lock: the piece, its range, its rows in tables, and the same again in an
   * unconfirmed answer.
   */
  private static final int LOCK_BYTES = 256;

  private static final int MOST_LEASES = 1 << 20;
  private static final int MOST_LOCKS = 1 << 15;
  private static final int MOST_WAITS = 1_024;
  private static final long LEAST_INTENT_BYTES = 8L << 20;
  private static final long UNREQUESTED_BYTES = 256L << 20;
  private static final int SILENT_SESSIONS = 4;

  /** One worker may take 1/32 of the heap for each of leases, locks and intents. */
  private static final int SHARE = 32;

  /**
   * Quotas for a leader with this heap.
   *
   * @param maxHeapBytes the maximum heap
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
        UNREQUESTED_BYTES,
        SILENT_SESSIONS);
  }
}
