package io.hypersync.model.trie;

import io.hypersync.model.codec.CanonicalWriter;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;

/**
 * An element of a trie: a key and its value in one immutable object. The hash is not cached but
 * computed whenever it is requested, which happens when this leaf or its sibling has changed: a
 * cached hash would take 40 bytes for each of the three leaves that a file has.
 */
public abstract non-sealed class Leaf extends TrieNode {
  protected Leaf() {}

  /** The key. The leaves of a trie are in bytewise order of their keys. */
  public abstract TrieKey key();

  /**
   * Appends key and value in canonical form: everything that the hash covers.
   *
   * @param version how tries inside this leaf are hashed; a leaf without any ignores it
   */
  protected abstract void encode(CanonicalWriter out, RootVersion version);

  /** The number of bytes that {@link #writePage} appends. */
  protected abstract int pageBytes();

  /**
   * Appends key and value in the form of pages, from which the leaf can be read again. The form
   * ends where its own bytes say so.
   *
   * @param pages writes the tries that are inside this leaf
   */
  protected abstract void writePage(CanonicalWriter out, PageWriter pages);

  @Override
  public final int size() {
    return 1;
  }

  @Override
  public final int depth() {
    return 1;
  }

  /** BLAKE3 of the canonical form followed by the domain byte of leaves, 0. */
  @Override
  public final Hash hash(RootVersion version) {
    CanonicalWriter out = new CanonicalWriter(192);
    encode(out, version);
    out.u8(MerkleTrie.LEAF_DOMAIN);
    return Blake3.hash(out.array(), 0, out.length());
  }
}
