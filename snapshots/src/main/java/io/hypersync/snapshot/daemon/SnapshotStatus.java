package io.hypersync.snapshot.daemon;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.snapshot.schedule.SnapshotManager;

/** A replica's snapshots as JSON, with the keys of {@code docs/json.md}. */
public final class SnapshotStatus {
  private static final long NS_PER_MS = 1_000_000;

  private SnapshotStatus() {}

  /** To be called on the agent's thread. */
  public static ObjectNode of(SnapshotManager snapshots, long nowEpochNs) {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    Snapshot newest = snapshots.newest();
    node.put("newest_index", snapshots.newestIndex());
    node.put(
        "newest_age_ms",
        newest == null ? null : (Long) Math.max(0, (nowEpochNs - newest.takenNs()) / NS_PER_MS));
    node.put("newest_pages_written", newest == null ? null : (Long) newest.pages());
    node.put("newest_bytes_written", newest == null ? null : (Long) newest.bytes());
    Long tookNs = snapshots.lastTookNs();
    node.put("last_took_ms", tookNs == null ? null : (Long) (tookNs / NS_PER_MS));
    node.put("taking", snapshots.isTaking());
    node.put("count", snapshots.all().size());
    node.put("taken", snapshots.takenSoFar());
    node.put("bytes_kept", snapshots.historyBytes());
    node.put("removed_for_room", snapshots.removedForRoom());
    node.put("failed", snapshots.failedSoFar());
    node.put("last_failure", snapshots.lastFailure());
    return node;
  }
}
