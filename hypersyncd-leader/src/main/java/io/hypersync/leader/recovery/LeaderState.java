package io.hypersync.leader.recovery;

import io.hypersync.leader.sequencer.IntentIndex;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.StateWeight;

/**
 * What the log amounts to.
 *
 * @param state the filesystem after the last entry
 * @param root its Merkle root
 * @param index the last entry, 0 for an empty log
 * @param lastTimeNs committed_at of the last entry: time goes on from there (hypersync.md 9.4)
 * @param intents where every remembered intent is in the log
 * @param weight about how many bytes of the heap the state takes ({@link StateWeight})
 */
public record LeaderState(
    FsState state, Hash root, long index, long lastTimeNs, IntentIndex intents, long weight) {
  /** Weighs the state, as long as it takes to look at all of it. */
  public LeaderState(FsState state, Hash root, long index, long lastTimeNs, IntentIndex intents) {
    this(state, root, index, lastTimeNs, intents, StateWeight.of(state));
  }
}
