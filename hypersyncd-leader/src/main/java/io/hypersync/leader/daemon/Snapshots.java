package io.hypersync.leader.daemon;

import io.hypersync.snapshot.Snapshot;
import io.hypersync.snapshot.SnapshotCatalog;
import java.util.List;

/**
 * The snapshots that a leader starts with.
 *
 * @param catalog where they are
 * @param known what the catalog has, the oldest first
 * @param base index of the one that the leader started from; 0 for none
 */
public record Snapshots(SnapshotCatalog catalog, List<Snapshot> known, long base) {}
