package io.hypersync.leader.sequencer;

import io.hypersync.model.hash.Hash;

/**
 * A Merkle root and the entry that it belongs to.
 *
 * @param index of the entry; 0 before the first one
 * @param root of the state after that entry
 */
public record IndexedRoot(long index, Hash root) {}
