package io.hypersync.model.trie;

import io.hypersync.model.hash.Hash;
import java.util.List;

/**
 * Proves that a leaf is in a trie: the hashes beside the path from the leaf to the root
 * (hypersync.md 8.1.1). A verifier needs only the leaf and a trusted root.
 *
 * @param leaf the leaf's hash
 * @param upwards the inner nodes above it, from the leaf to the root
 */
public record MerkleProof(Hash leaf, List<Step> upwards) {
  /** Copies the list. */
  public MerkleProof {
    upwards = List.copyOf(upwards);
  }

  /**
   * An inner node on the path.
   *
   * @param bit the bit at which its keys differ
   * @param right whether the path goes through its right child
   * @param sibling the hash of its other child
   */
  public record Step(int bit, boolean right, Hash sibling) {}

  /**
   * The root that the proof implies; the proof is valid if it equals the trusted root.
   *
   * @param version of the trusted root
   */
  public Hash root(RootVersion version) {
    Hash hash = leaf;
    for (Step step : upwards) {
      hash =
          step.right
              ? version.inner(step.sibling, hash, step.bit)
              : version.inner(hash, step.sibling, step.bit);
    }
    return hash;
  }
}
