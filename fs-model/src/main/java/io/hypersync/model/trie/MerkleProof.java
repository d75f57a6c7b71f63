package io.hypersync.model.trie;

import io.hypersync.model.hash.Hash;
import java.util.List;

/**
 * That a leaf is in a trie: what is beside it on the way to the root (hypersync.md 8.1.1). Who has
 * the leaf and trusts the root needs nothing else.
 *
 * @param leaf the leaf's hash
 * @param upwards the branches above it, the nearest first
 */
public record MerkleProof(Hash leaf, List<Step> upwards) {
  /** Copies the list. */
  public MerkleProof {
    upwards = List.copyOf(upwards);
  }

  /**
   * A branch on the way.
   *
   * @param bit where its keys part
   * @param right whether the way comes from its right side
   * @param sibling the hash of its other side
   */
  public record Step(int bit, boolean right, Hash sibling) {}

  /** The root of every trie that this is a proof for: to be compared with the one trusted. */
  public Hash root() {
    Hash hash = leaf;
    for (Step step : upwards) {
      hash =
          step.right
              ? Inner.hash(step.sibling, hash, step.bit)
              : Inner.hash(hash, step.sibling, step.bit);
    }
    return hash;
  }
}
