package io.hypersync.model.trie;

import io.hypersync.model.codec.CanonicalWriter;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import org.jspecify.annotations.Nullable;

/**
 * An element of a trie: a key and its value in one immutable object. The hash is computed when it
 * is first asked for; a race between two threads computes the same immutable value twice, no more.
 */
public abstract non-sealed class Leaf implements TrieNode {
  private @Nullable Hash hash;

  /** The key; leaves of one trie are ordered by it, bytewise. */
  public abstract TrieKey key();

  /** Appends key and value in canonical form: everything that the hash shall cover. */
  protected abstract void encode(CanonicalWriter out);

  /** One. */
  @Override
  public final int size() {
    return 1;
  }

  /** BLAKE3 of the canonical form and, as its last byte, the domain of leaves, 0. */
  @Override
  public final Hash hash() {
    Hash known = hash;
    if (known == null) {
      CanonicalWriter out = new CanonicalWriter(192);
      encode(out);
      out.u8(MerkleTrie.LEAF_DOMAIN);
      known = Blake3.hash(out.array(), 0, out.length());
      hash = known;
    }
    return known;
  }
}
