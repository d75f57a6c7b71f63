package io.hypersync.leader.recovery;

import io.hypersync.leader.sequencer.IntentIndex;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.state.FsState;

/**
 * What the log amounts to.
 *
 * @param state the filesystem after the last entry
 * @param root its Merkle root
 * @param index the last entry, 0 for an empty log
 * @param lastTimeNs committed_at of the last entry: time goes on from there (hypersync.md 9.4)
 * @param intents where every remembered intent is in the log
 */
public record LeaderState(
    FsState state, Hash root, long index, long lastTimeNs, IntentIndex intents) {}
