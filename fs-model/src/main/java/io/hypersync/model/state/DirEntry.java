package io.hypersync.model.state;

import io.hypersync.model.codec.CanonicalReader;
import io.hypersync.model.codec.CanonicalWriter;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.NodeType;
import io.hypersync.model.trie.Leaf;
import io.hypersync.model.trie.PageWalker;
import io.hypersync.model.trie.PageWriter;
import io.hypersync.model.trie.RootVersion;
import io.hypersync.model.trie.TrieKey;

/**
 * A directory entry: a name and the node that it leads to (hypersync.md 7.2). Immutable. Canonical
 * form, as hashed:
 *
 * <pre>
 *   0           16        17
 *   +-----------+---------+------------------+
 *   | node 16 B | type u8 | name 1 to 255 B  |
 *   +-----------+---------+------------------+
 * </pre>
 */
public final class DirEntry extends Leaf {
  private static final int FIXED_BYTES = 16 + 1 + 1;

  private final byte[] name;
  private final NodeId node;
  private final NodeType type;

  DirEntry(Name name, NodeId node, NodeType type) {
    this.name = name.bytes();
    this.node = node;
    this.type = type;
  }

  public Name name() {
    return Name.of(name);
  }

  /** The id of the node that the name leads to. */
  public NodeId node() {
    return node;
  }

  /** The type of that node, which never changes. */
  public NodeType type() {
    return type;
  }

  @Override
  public TrieKey key() {
    return TrieKey.of(name);
  }

  @Override
  protected void encode(CanonicalWriter out, RootVersion version) {
    out.node(node).u8(type.code()).raw(name);
  }

  @Override
  protected int pageBytes() {
    return FIXED_BYTES + name.length;
  }

  /** Node, type, length of the name as u8, name. */
  @Override
  protected void writePage(CanonicalWriter out, PageWriter pages) {
    out.node(node).u8(type.code()).u8(name.length).raw(name);
  }

  static DirEntry readPage(CanonicalReader in) throws DecodeException {
    NodeId node = in.node();
    NodeType type = NodeType.ofCode(in.u8());
    byte[] name = in.raw(in.u8());
    if (type == null || !Name.isWellFormed(name)) {
      throw new DecodeException("a directory entry of no known type, or without a valid name");
    }
    return new DirEntry(Name.of(name), node, type);
  }

  static void walkPage(CanonicalReader in, PageWalker ignored) throws DecodeException {
    in.skip(NodeId.BYTES + 1);
    in.skip(in.u8());
  }
}
