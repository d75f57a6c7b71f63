package io.hypersync.model.trie;

import io.hypersync.model.hash.Hash;

/**
 * A node of a trie: a {@link Leaf} or an {@link Inner}. An abstract class and not an interface,
 * because calls of interface methods take longer and a change of the trie makes one or two such
 * calls per level.
 */
abstract sealed class TrieNode permits Leaf, Inner {
  /**
   * The hash of this subtree.
   *
   * @param version of the state that the trie belongs to; always the same one for one trie
   */
  public abstract Hash hash(RootVersion version);

  /** The number of leaves in this subtree. */
  public abstract int size();

  /** The number of nodes on the longest path from here to a leaf, both included: 1 for a leaf. */
  public abstract int depth();
}
