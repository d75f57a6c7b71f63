package io.hypersync.model.trie;

import io.hypersync.model.hash.Hash;

/**
 * A node of a trie: a {@link Leaf} or an {@link Inner}. A class, because finding a method of an
 * interface takes longer, and a change asks a node or two on each level.
 */
abstract sealed class TrieNode permits Leaf, Inner {
  /** The hash of everything below. */
  public abstract Hash hash();

  /** The number of leaves below, itself included if it is one. */
  public abstract int size();

  /** The longest path from here to a leaf, both ends counted: 1 for a leaf. */
  public abstract int depth();
}
