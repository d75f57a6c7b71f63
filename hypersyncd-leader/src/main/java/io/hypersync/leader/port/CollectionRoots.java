package io.hypersync.leader.port;

import io.hypersync.model.hash.Hash;
import io.hypersync.model.state.StateWalk;
import io.hypersync.snapshot.HeldRestore;
import io.hypersync.snapshot.Snapshot;
import java.util.List;
import java.util.Set;

/**
 * What everything alive is reached from, at one moment after the store has begun the collection
 * (hypersync.md 14.2). For one run: the nodes can be walked over once.
 *
 * @param head a walk over S_head, orphans too
 * @param headIndex the index of the last entry of S_head, which need not be durable yet
 * @param snapshots all retained ones, the oldest first
 * @param pasts states of the past that workers have mounted, the oldest first
 * @param restores states that entries of the log restore, by index of the entry
 * @param logAfter every chunk that an entry behind this one mentions is alive
 * @param promised chunks that intents rely on which are in no state yet
 * @param isDryRun whether nothing is to be removed
 * @param notes who needs it
 */
public record CollectionRoots(
    StateWalk head,
    long headIndex,
    List<Snapshot> snapshots,
    List<HeldState> pasts,
    List<HeldRestore> restores,
    long logAfter,
    Set<Hash> promised,
    boolean isDryRun,
    PinNotes notes) {
  /** Copies the collections. */
  public CollectionRoots {
    snapshots = List.copyOf(snapshots);
    pasts = List.copyOf(pasts);
    restores = List.copyOf(restores);
    promised = Set.copyOf(promised);
  }
}
