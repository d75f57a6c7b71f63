package io.hypersync.wire.message;

import io.hypersync.model.hash.Hash;

/**
 * The newest state that a worker has shown, in this run or an earlier one: it was durable at the
 * leader, so a leader without it has an older state than it should have.
 *
 * @param lineage of the leader that it came from; 0 is that of a workspace that was never rewound
 * @param term the highest one that a leader of this lineage had; 0 is that of the first leader
 * @param index its last entry; 0 if the worker has seen none
 * @param root the Merkle root after it
 */
public record SeenState(long lineage, long term, long index, Hash root) {
  /** Of a worker that has seen nothing, or does not remember. */
  public static final SeenState NONE = new SeenState(0, 0, 0, Hash.ZERO);
}
