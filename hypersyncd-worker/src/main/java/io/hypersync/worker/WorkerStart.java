package io.hypersync.worker;

import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.state.RestoredStates;
import io.hypersync.model.trie.DirtyMemory;
import io.hypersync.model.trie.RootVersion;
import io.hypersync.snapshot.Snapshot;
import org.jspecify.annotations.Nullable;

/**
 * What one run of a worker begins with.
 *
 * @param manifest of the state
 * @param memory counts what of the state cannot be dropped from memory
 * @param restored reads the states that entries restore
 * @param received the snapshot of the leader that the state is of, as long as not all its pages are
 *     here: they are fetched while the worker serves; null if the state is in this worker's catalog
 */
public record WorkerStart(
    Manifest manifest, DirtyMemory memory, RestoredStates restored, @Nullable Snapshot received) {
  /** The empty filesystem. */
  public static WorkerStart empty(
      WorkspaceId workspace, DirtyMemory memory, RestoredStates restored) {
    return new WorkerStart(Manifest.genesis(workspace, RootVersion.LATEST), memory, restored, null);
  }

  /** The state of a snapshot in the catalog. */
  public static WorkerStart of(Manifest manifest, DirtyMemory memory, RestoredStates restored) {
    return new WorkerStart(manifest, memory, restored, null);
  }
}
