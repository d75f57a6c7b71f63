package io.hypersync.leader;

import io.hypersync.leader.dataplane.DataPlaneSettings;
import io.hypersync.leader.placement.PlacementLimits;
import io.hypersync.leader.quota.WorkerQuotas;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.wire.message.NegotiatedParams;

/**
 * Settings of the leader agent; all times in nanoseconds.
 *
 * @param workspace the workspace it leads
 * @param heartbeatNs the longest time between two heartbeats to a worker
 * @param workerTimeoutNs a worker that has been silent for this long is disconnected
 * @param partialUploadTtlNs PARTIAL_UPLOAD_TTL (hypersync.md 9.3.1)
 * @param windowEntries how many entries are sent beyond the applied index that a worker has
 *     reported (12.4)
 * @param maxPendingIntents MAX_PENDING_INTENTS, shared dynamically by the workers: intents beyond a
 *     worker's share get EAGAIN (6.3.1)
 * @param maxUnsyncedEntries how many entries may be in the log without being durable; at least 1
 * @param rateLimits limits of each worker's intents (12.5)
 * @param tailCacheBytes how many bytes of the newest entries are kept in memory
 * @param lockTtlNs {@code lock_ttl}: after this long without renewal a worker is warned (10.2(4));
 *     its locks are freed {@code lockGraceNs} later
 * @param lockGraceNs LOCK_GRACE_MS: how much longer it can still be renewed (10.2(5))
 * @param openLeaseTtlNs OPEN_LEASE_TTL (6.8)
 * @param presenceLeaseNs how long a worker without a connection counts as there
 * @param maxStateBytes the largest state weight, in bytes of heap: ENOSPC beyond it
 * @param catchUp when a worker gets a snapshot instead of the log
 * @param quotas the most that the leader keeps for each worker
 * @param dataPlane how chunks are sent to workers
 * @param placement what a worker must stay below to get agents (15.2)
 * @param params how workers are to send; its features are those that this leader supports
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
    long presenceLeaseNs,
    long maxStateBytes,
    CatchUpLimits catchUp,
    WorkerQuotas quotas,
    DataPlaneSettings dataPlane,
    PlacementLimits placement,
    NegotiatedParams params) {
  private static final long MS = 1_000_000;

  /** Defaults for a workspace: no limit on the state's weight, quotas for a heap of 1 GiB. */
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
        90_000 * MS,
        Long.MAX_VALUE,
        CatchUpLimits.DEFAULT,
        WorkerQuotas.ofHeap(1L << 30),
        DataPlaneSettings.DEFAULT,
        PlacementLimits.DEFAULT,
        NegotiatedParams.DEFAULT);
  }
}
