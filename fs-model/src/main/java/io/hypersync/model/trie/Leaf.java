package io.hypersync.model.trie;

import io.hypersync.model.codec.CanonicalWriter;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;

/**
 * An element of a trie: a key and its value in one immutable object. Its hash is computed whenever
 * it is asked for, which is when it or the leaf beside it has changed: to keep it would take 40
 * bytes of each of the three leaves that a file has.
 */
public abstract non-sealed class Leaf extends TrieNode {
  /** For those who extend it. */
  protected Leaf() {}

  /** The key; leaves of one trie are ordered by it, bytewise. */
  public abstract TrieKey key();

  /** Appends key and value in canonical form: everything that the hash shall cover. */
  protected abstract void encode(CanonicalWriter out);

  /** One. */
  @Override
  public final int size() {
    return 1;
  }

  /** One. */
  @Override
  public final int depth() {
    return 1;
  }

  /** BLAKE3 of the canonical form and, as its last byte, the domain of leaves, 0. */
  @Override
  public final Hash hash() {
    CanonicalWriter out = new CanonicalWriter(192);
    encode(out);
    out.u8(MerkleTrie.LEAF_DOMAIN);
    return Blake3.hash(out.array(), 0, out.length());
  }
}
