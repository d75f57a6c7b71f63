package io.hypersync.leader.daemon;

import io.hypersync.snapshot.SnapshotCatalog;

/**
 * The snapshots that a leader starts with.
 *
 * @param catalog where they are
 * @param base index of the one that the leader started from; 0 for none
 */
public record Snapshots(SnapshotCatalog catalog, long base) {}
