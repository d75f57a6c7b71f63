package io.hypersync.worker;

import io.hypersync.model.id.WorkerId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.wire.message.Features;

/**
 * Settings of {@link WorkerAgent}; all times in nanoseconds.
 *
 * @param workspace the workspace to join
 * @param worker this worker's id, as in its certificate
 * @param leaderTimeoutNs a leader that has been silent for this long is unreachable (6.4)
 * @param leaderStaleNs LEADER_STALE_MS: a leader that has been silent for this long is asked for
 *     its commit index before a caller relies on what is visible here (6.2)
 * @param mutationDeadlineNs MUTATION_DEADLINE (6.4)
 * @param partitionGraceNs how long new mutations wait for a leader that was lost, before EROFS
 * @param reconnectMinNs pause before the first attempt to reconnect
 * @param reconnectMaxNs longest pause between attempts
 * @param reportNs longest time between two WorkerApplied messages
 * @param maxStateBytes an entry that makes the state heavier than this, in bytes of heap, stalls
 *     apply
 * @param features what this worker offers to the leader
 */
public record WorkerConfig(
    WorkspaceId workspace,
    WorkerId worker,
    long leaderTimeoutNs,
    long leaderStaleNs,
    long mutationDeadlineNs,
    long partitionGraceNs,
    long reconnectMinNs,
    long reconnectMaxNs,
    long reportNs,
    long maxStateBytes,
    Features features) {
  private static final long MS = 1_000_000;

  /** The defaults for a worker. */
  public static WorkerConfig of(WorkspaceId workspace, WorkerId worker) {
    return new WorkerConfig(
        workspace,
        worker,
        1_000 * MS,
        250 * MS,
        30_000 * MS,
        0,
        50 * MS,
        1_000 * MS,
        100 * MS,
        Long.MAX_VALUE,
        Features.SUPPORTED);
  }
}
