package io.hypersync.leader.recovery;

import io.hypersync.leader.hazard.TouchWindow;
import io.hypersync.leader.sequencer.IntentIndex;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.RestoredStates;
import io.hypersync.model.state.StateWeight;
import io.hypersync.model.trie.DirtyMemory;

/**
 * The state that replaying the log has produced; the leader continues from it.
 *
 * @param state the filesystem after the last entry
 * @param root its Merkle root
 * @param index the last entry, 0 for an empty log
 * @param lastTimeNs committed_at of the last entry: later times are greater (hypersync.md 9.4)
 * @param intents the entry of every remembered intent
 * @param weight about how many bytes of heap the state takes ({@link StateWeight})
 * @param memory counts what of it cannot be dropped
 * @param restored reads what entries restore
 * @param window what agents have done lately, which the leader changes
 */
public record LeaderState(
    FsState state,
    Hash root,
    long index,
    long lastTimeNs,
    IntentIndex intents,
    long weight,
    DirtyMemory memory,
    RestoredStates restored,
    TouchWindow window) {
  /**
   * A state that is kept in memory, and restores none. Computes its weight by walking all of it,
   * which takes time proportional to its size.
   */
  public LeaderState(FsState state, Hash root, long index, long lastTimeNs, IntentIndex intents) {
    this(
        state,
        root,
        index,
        lastTimeNs,
        intents,
        StateWeight.of(state),
        DirtyMemory.ofEverything(),
        RestoredStates.NONE,
        new TouchWindow());
    memory.begins(weight);
  }
}
