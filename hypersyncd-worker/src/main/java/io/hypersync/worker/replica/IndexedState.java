package io.hypersync.worker.replica;

import io.hypersync.model.hash.Hash;
import io.hypersync.model.state.FsState;

/**
 * S_k as readers see it: one reference to an immutable state (hypersync.md 5.2(2)).
 *
 * @param index k, the applied index a_i
 * @param state the state after entry k
 * @param root its Merkle root
 */
public record IndexedState(long index, FsState state, Hash root) {}
