package io.hypersync.leader;

import io.hypersync.leader.quota.WorkerQuotas;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.wire.message.NegotiatedParams;

/**
 * What the leader agent needs to know; all times in nanoseconds.
 *
 * @param workspace the workspace it leads
 * @param heartbeatNs how often every worker hears of it at least
 * @param workerTimeoutNs a worker that has been silent for so long is disconnected
 * @param partialUploadTtlNs PARTIAL_UPLOAD_TTL (hypersync.md 9.3.1)
 * @param windowEntries how far the log is sent ahead of a worker's report (12.4)
 * @param maxPendingIntents MAX_PENDING_INTENTS, of which each worker has a share: beyond it intents
 *     get EAGAIN (6.3.1)
 * @param maxUnsyncedEntries how many entries the log is given that are not durable yet; at least 1
 * @param rateLimits how fast each worker may send intents (12.5)
 * @param tailCacheBytes how much of the log's tail is kept in memory
 * @param lockTtlNs how long a lock lives without being renewed (10.2(4))
 * @param lockGraceNs LOCK_GRACE_MS: how much longer it can still be renewed (10.2(5))
 * @param openLeaseTtlNs OPEN_LEASE_TTL (6.8)
 * @param maxStateBytes how heavy the filesystem may become in the heap: ENOSPC beyond it
 * @param quotas the most that is kept for each worker
 * @param params how workers are to send; the features are those that this leader has
 */
public record LeaderConfig(
    WorkspaceId workspace,
    long heartbeatNs,
    long workerTimeoutNs,
    long partialUploadTtlNs,
    int windowEntries,
    int maxPendingIntents,
    int maxUnsyncedEntries,
    IntentRateLimits rateLimits,
    long tailCacheBytes,
    long lockTtlNs,
    long lockGraceNs,
    long openLeaseTtlNs,
    long maxStateBytes,
    WorkerQuotas quotas,
    NegotiatedParams params) {
  private static final long MS = 1_000_000;

  /** The defaults for a workspace, whatever the filesystem weighs, and for a heap of 1 GiB. */
  public static LeaderConfig of(WorkspaceId workspace) {
    return new LeaderConfig(
        workspace,
        100 * MS,
        3_000 * MS,
        60_000 * MS,
        4_096,
        10_000,
        200,
        IntentRateLimits.NONE,
        4L * 1024 * 1024,
        5_000 * MS,
        2_000 * MS,
        15_000 * MS,
        Long.MAX_VALUE,
        WorkerQuotas.ofHeap(1L << 30),
        NegotiatedParams.DEFAULT);
  }
}
