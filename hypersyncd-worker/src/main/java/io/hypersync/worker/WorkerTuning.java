package io.hypersync.worker;

/**
 * What of a worker can change while it serves its mount; times in nanoseconds.
 *
 * @param partitionGraceNs how long new mutations wait for a leader that was lost, before EROFS; one
 *     that is lost already is waited for as long as was said before
 * @param leaderTimeoutNs how long the leader may be silent before the mount turns read-only
 * @param leaderStaleNs how long the leader may be silent before it is asked for its commit index
 * @param snapshotIntervalNs how often a snapshot is taken
 */
public record WorkerTuning(
    long partitionGraceNs, long leaderTimeoutNs, long leaderStaleNs, long snapshotIntervalNs) {}
