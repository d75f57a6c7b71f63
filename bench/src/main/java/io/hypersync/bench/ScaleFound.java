package io.hypersync.bench;

import java.util.List;
import java.util.Optional;

/**
 * What the scale suite has found.
 *
 * @param files how many there are
 * @param fillNs how long making them took
 * @param entries of the log in the end
 * @param now with the present version
 * @param late restart of the leader in the end, with all entries in its log
 * @param before with the version before, if it was asked for
 * @param snapshots of 1,000 changed files each; at least one
 * @param writers p99 of calls beside snapshots over that without, one for each round
 * @param empty a new worker of the empty workspace
 * @param full a new worker of the full one
 */
record ScaleFound(
    long files,
    long fillNs,
    long entries,
    Side now,
    Restart late,
    Optional<Side> before,
    List<SnapshotCost> snapshots,
    List<Double> writers,
    FirstList empty,
    FirstList full) {
  /**
   * Restart and memory with one version.
   *
   * @param emptyLeader restart of the leader of the empty workspace
   * @param emptyWorker restart of its worker
   * @param leader restart of the leader with all files
   * @param worker restart of its worker
   * @param filledLeader memory of the leader right after the last file
   * @param filledWorker memory of the worker right after it has caught up
   */
  record Side(
      Restart emptyLeader,
      Restart emptyWorker,
      Restart leader,
      Restart worker,
      ResidentMemory filledLeader,
      ResidentMemory filledWorker) {}
}
