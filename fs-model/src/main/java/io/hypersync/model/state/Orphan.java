package io.hypersync.model.state;

import io.hypersync.model.codec.CanonicalReader;
import io.hypersync.model.codec.CanonicalWriter;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.trie.Leaf;
import io.hypersync.model.trie.PageWriter;
import io.hypersync.model.trie.RootVersion;
import io.hypersync.model.trie.TrieKey;

/**
 * The id of a node that has no name (hypersync.md 6.8). Its form, hashed and in pages, is the id.
 */
public final class Orphan extends Leaf {
  private final NodeId node;

  Orphan(NodeId node) {
    this.node = node;
  }

  /** The node's id. */
  public NodeId node() {
    return node;
  }

  @Override
  public TrieKey key() {
    return TrieKey.of(node.high(), node.low());
  }

  @Override
  protected void encode(CanonicalWriter out, RootVersion version) {
    out.node(node);
  }

  @Override
  protected int pageBytes() {
    return NodeId.BYTES;
  }

  @Override
  protected void writePage(CanonicalWriter out, PageWriter pages) {
    out.node(node);
  }

  static Orphan readPage(CanonicalReader in) throws DecodeException {
    return new Orphan(in.node());
  }
}
