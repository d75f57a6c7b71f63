package io.hypersync.leader;

import io.hypersync.leader.collection.CollectionPolicy;
import io.hypersync.leader.placement.PlacementLimits;
import io.hypersync.leader.visibility.Visibility;
import io.hypersync.snapshot.schedule.SnapshotPolicy;

/**
 * What of a leader can change while it leads. None of it is part of what replicas must share:
 * entries and states do not depend on it.
 *
 * @param rateLimits limits of each worker's intents (hypersync.md 12.5)
 * @param snapshots how often snapshots are taken, and how long they are kept (14.1)
 * @param collections when dead chunks are collected, and what is kept for workers that are away
 *     (14.2); its choice of segments stays what it was
 * @param placement what a worker must stay below to get agents (15.2)
 * @param visibility where changes are visible when their calls return
 */
public record LeaderTuning(
    IntentRateLimits rateLimits,
    SnapshotPolicy snapshots,
    CollectionPolicy collections,
    PlacementLimits placement,
    Visibility visibility) {}
