package io.hypersync.model.state;

import io.hypersync.model.codec.CanonicalWriter;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.InodeNo;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.NodeType;
import io.hypersync.model.trie.MerkleTrie;
import io.hypersync.model.trie.TrieKey;
import org.jspecify.annotations.Nullable;

/**
 * The filesystem S_k after k ops (hypersync.md 5.1): immutable, so a reader needs one reference and
 * no lock, and a snapshot is that reference. Locks, leases and atime are not in it (11.3).
 */
public final class FsState {
  /** The root directory. */
  public static final NodeId ROOT = new NodeId(0, 1);

  private static final int STATE_DOMAIN = 2;
  private static final int ROOT_MODE = 0755;

  private final MerkleTrie<Node> nodes;
  private final long nextInode;
  private final long allocated;

  private FsState(MerkleTrie<Node> nodes, long nextInode, long allocated) {
    this.nodes = nodes;
    this.nextInode = nextInode;
    this.allocated = allocated;
  }

  /** S_0: an empty root directory of uid 0, mode 0755, all times 1970. */
  public static FsState genesis() {
    Node root =
        new Node(
            ROOT,
            InodeNo.ROOT.value(),
            NodeType.DIRECTORY,
            new NodeAttributes(ROOT_MODE, 0, 0, 2, 0, 0, 0, 0, 0),
            new NodeContent.Directory(ROOT, MerkleTrie.empty()),
            MerkleTrie.empty());
    return new FsState(MerkleTrie.<Node>empty().with(root), InodeNo.ROOT.value() + 1, 0);
  }

  /**
   * fs_merkle_root (hypersync.md 8.1), computed anew at every call from the cached root of the
   * nodes. BLAKE3 of:
   *
   * <pre>
   *   0                  32               40          41
   *   +------------------+----------------+-----------+
   *   | root of the      | next inode u64 | domain u8 |
   *   | nodes 32 B       |                |   = 2     |
   *   +------------------+----------------+-----------+
   * </pre>
   */
  public Hash root() {
    CanonicalWriter out = new CanonicalWriter(48);
    out.hash(nodes.root()).u64(nextInode).u8(STATE_DOMAIN);
    return Blake3.hash(out.array(), 0, out.length());
  }

  /** The node with this id, or null. */
  public @Nullable Node node(NodeId id) {
    return nodes.get(TrieKey.of(id.high(), id.low()));
  }

  /** What {@code name} leads to in {@code directory}, or null. */
  public @Nullable Node lookup(Node directory, Name name) {
    if (directory.content() instanceof NodeContent.Directory(_, MerkleTrie<DirEntry> entries)) {
      DirEntry entry = entries.get(TrieKey.of(name.bytes()));
      return entry == null ? null : node(entry.node());
    }
    return null;
  }

  /** All nodes, orphans too, in the order of their ids. */
  public MerkleTrie<Node> nodes() {
    return nodes;
  }

  /** The bytes that files map to chunks, shared chunks counted as often as they are mapped. */
  public long allocated() {
    return allocated;
  }

  long nextInode() {
    return nextInode;
  }

  FsState with(Node node) {
    // Only files have bytes, and a node never becomes another type: the others need not be found.
    Node old = node.type() == NodeType.FILE ? node(node.id()) : null;
    long freed = old == null ? 0 : old.allocated();
    return new FsState(nodes.with(node), nextInode, allocated - freed + node.allocated());
  }

  FsState withNew(Node node) {
    if (node(node.id()) != null) {
      throw new IllegalArgumentException("node " + node.id() + " exists already");
    }
    return new FsState(nodes.with(node), nextInode + 1, allocated + node.allocated());
  }

  FsState without(Node node) {
    return new FsState(nodes.without(node.key()), nextInode, allocated - node.allocated());
  }
}
