package io.hypersync.worker;

import java.time.Duration;

/**
 * What of a worker can change while it serves its mount.
 *
 * @param partitionGrace how long new mutations wait for a leader that was lost, before EROFS; one
 *     that is lost already is waited for as long as was said before
 * @param leaderTimeout how long the leader may be silent before the mount turns read-only
 * @param leaderStale how long the leader may be silent before it is asked for its commit index
 * @param snapshotInterval how often a snapshot is taken
 */
public record WorkerTuning(
    Duration partitionGrace,
    Duration leaderTimeout,
    Duration leaderStale,
    Duration snapshotInterval) {}
