package io.hypersync.worker.port;

import io.hypersync.model.hash.Hash;
import io.hypersync.model.state.StateWalk;
import io.hypersync.snapshot.Snapshot;
import java.util.List;
import java.util.Set;

/**
 * What a worker needs, at one moment after its store has begun a collection. For one run: the nodes
 * can be walked over once.
 *
 * @param visibleIndex the last entry of the visible state
 * @param visible a walk over the visible state, orphans too
 * @param mentioned the chunks of all entries that are here and not visible yet
 * @param snapshots of this worker, the oldest first; only their pages are needed
 * @param pasts the manifests of states of the past that are mounted here; not all of their pages
 *     and chunks need be here
 * @param evicts whether chunks of the visible state are removed, too, because the store is too
 *     large
 */
public record CacheRoots(
    long visibleIndex,
    StateWalk visible,
    Set<Hash> mentioned,
    List<Snapshot> snapshots,
    List<byte[]> pasts,
    boolean evicts) {
  /** Copies the collections. */
  public CacheRoots {
    mentioned = Set.copyOf(mentioned);
    snapshots = List.copyOf(snapshots);
    pasts = List.copyOf(pasts);
  }
}
