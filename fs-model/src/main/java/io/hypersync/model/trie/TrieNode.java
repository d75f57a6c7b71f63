package io.hypersync.model.trie;

import io.hypersync.model.hash.Hash;

/** A node of a trie: a {@link Leaf} or an {@link Inner}. */
sealed interface TrieNode permits Leaf, Inner {
  /** The hash of everything below. */
  Hash hash();

  /** The number of leaves below, itself included if it is one. */
  int size();

  /** The longest path from here to a leaf, both ends counted: 1 for a leaf. */
  int depth();
}
