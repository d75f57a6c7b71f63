package io.hypersync.worker;

import io.hypersync.model.id.WorkerId;
import io.hypersync.model.id.WorkspaceId;

/**
 * What the worker agent needs to know; all times in nanoseconds.
 *
 * @param workspace the workspace to join
 * @param worker this worker's name, as in its certificate
 * @param leaderTimeoutNs a leader that has been silent for so long is unreachable (6.4)
 * @param leaderStaleNs LEADER_STALE_MS: a leader that has been silent for so long is asked how far
 *     it is before anybody acts on what is visible here (6.2)
 * @param mutationDeadlineNs MUTATION_DEADLINE (6.4)
 * @param reconnectMinNs pause before the first new attempt to connect
 * @param reconnectMaxNs longest pause
 * @param reportNs how often the leader hears of this worker at least
 * @param maxStateBytes how heavy the filesystem may become in the heap before this worker stops
 */
public record WorkerConfig(
    WorkspaceId workspace,
    WorkerId worker,
    long leaderTimeoutNs,
    long leaderStaleNs,
    long mutationDeadlineNs,
    long reconnectMinNs,
    long reconnectMaxNs,
    long reportNs,
    long maxStateBytes) {
  private static final long MS = 1_000_000;

  /** The defaults for a worker. */
  public static WorkerConfig of(WorkspaceId workspace, WorkerId worker) {
    return new WorkerConfig(
        workspace,
        worker,
        1_000 * MS,
        250 * MS,
        30_000 * MS,
        50 * MS,
        1_000 * MS,
        100 * MS,
        Long.MAX_VALUE);
  }
}
