package io.hypersync.model.state;

import io.hypersync.model.codec.CanonicalWriter;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.InodeNo;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.NodeType;
import io.hypersync.model.trie.MerkleTrie;
import io.hypersync.model.trie.RootVersion;
import io.hypersync.model.trie.TrieKey;
import org.jspecify.annotations.Nullable;

/**
 * The filesystem state S_k after k ops (hypersync.md 5.1). Immutable, so a reader needs one
 * reference and no lock, and keeping the reference is a snapshot. Locks, leases and atime are not
 * part of it (11.3).
 */
public final class FsState {
  /** The node id of the root directory. */
  public static final NodeId ROOT = new NodeId(0, 1);

  private static final int ROOT_MODE = 0755;
  private static final long UNKNOWN = -1;

  private final RootVersion version;
  private final MerkleTrie<Node> nodes;

  /** The orphans' ids, which the nodes imply. Kept so that nobody has to look at all nodes. */
  private final MerkleTrie<Orphan> orphans;

  private final long nextInode;
  private final long allocated;

  /** What {@link StateWeight} would find; {@link #UNKNOWN} as a rule. */
  private final long knownWeight;

  FsState(
      RootVersion version,
      MerkleTrie<Node> nodes,
      MerkleTrie<Orphan> orphans,
      long nextInode,
      long allocated) {
    this(version, nodes, orphans, nextInode, allocated, UNKNOWN);
  }

  FsState(
      RootVersion version,
      MerkleTrie<Node> nodes,
      MerkleTrie<Orphan> orphans,
      long nextInode,
      long allocated,
      long knownWeight) {
    this.version = version;
    this.nodes = nodes;
    this.orphans = orphans;
    this.nextInode = nextInode;
    this.allocated = allocated;
    this.knownWeight = knownWeight;
  }

  /** S_0 with roots of {@link RootVersion#LATEST}, where every new log begins. */
  public static FsState genesis() {
    return genesis(RootVersion.LATEST);
  }

  /**
   * S_0: an empty root directory with mode 0755, uid and gid 0, and all times 0 (1970).
   *
   * @param version how this state and all that descend from it are hashed
   */
  public static FsState genesis(RootVersion version) {
    Node root =
        new Node(
            ROOT,
            InodeNo.ROOT.value(),
            NodeType.DIRECTORY,
            new NodeAttributes(ROOT_MODE, 0, 0, 2, 0, 0, 0, 0, 0),
            new NodeContent.Directory(ROOT, MerkleTrie.empty()),
            MerkleTrie.empty());
    return new FsState(
        version,
        MerkleTrie.<Node>empty().with(root),
        MerkleTrie.empty(),
        InodeNo.ROOT.value() + 1,
        0);
  }

  /**
   * The Merkle root of the state, fs_merkle_root of hypersync.md 8.1. Computed at every call from
   * the cached root of the nodes, as BLAKE3 of:
   *
   * <pre>
   *   0                  32               40          41
   *   +------------------+----------------+-----------+
   *   | root of the      | next inode u64 | domain u8 |
   *   | nodes 32 B       |                | = 2 or 3  |
   *   +------------------+----------------+-----------+
   * </pre>
   *
   * <p>The domain is 2 in {@link RootVersion#V1} and 3 in {@link RootVersion#V2}, so that states
   * too small to have an inner node have another root in each version, too.
   */
  public Hash root() {
    CanonicalWriter out = new CanonicalWriter(48);
    out.hash(nodes.root(version)).u64(nextInode).u8(domain(version));
    return Blake3.hash(out.array(), 0, out.length());
  }

  private static int domain(RootVersion version) {
    return switch (version) {
      case V1 -> 2;
      case V2 -> 3;
    };
  }

  /** How this state is hashed: as the genesis that it descends from. */
  public RootVersion version() {
    return version;
  }

  /** The node with this id, or null. */
  public @Nullable Node node(NodeId id) {
    return nodes.get(TrieKey.of(id.high(), id.low()));
  }

  /** Whether the node exists and is no orphan. */
  public boolean hasNamed(NodeId id) {
    Node node = node(id);
    return node != null && !node.isOrphan();
  }

  /**
   * The node that {@code name} leads to in {@code directory}; null if the name does not exist or
   * the node is not a directory.
   */
  public @Nullable Node lookup(Node directory, Name name) {
    if (directory.content() instanceof NodeContent.Directory(_, MerkleTrie<DirEntry> entries)) {
      DirEntry entry = entries.get(TrieKey.of(name.bytes()));
      return entry == null ? null : node(entry.node());
    }
    return null;
  }

  /** All nodes, orphans included, in the order of their ids. */
  public MerkleTrie<Node> nodes() {
    return nodes;
  }

  /** The nodes without a name (hypersync.md 6.8), in the order of their ids. */
  public MerkleTrie<Orphan> orphans() {
    return orphans;
  }

  /**
   * The sum of the bytes that files map to chunks, in all files; a byte that several extents share
   * counts for each of them.
   */
  public long allocated() {
    return allocated;
  }

  long nextInode() {
    return nextInode;
  }

  /**
   * The weight of the state ({@link StateWeight}), in bytes, if whoever made it knew it without a
   * walk: it was read from a manifest, or restored to such a state. Negative if not.
   */
  long knownWeight() {
    return knownWeight;
  }

  FsState withNextInode(long next) {
    return new FsState(version, nodes, orphans, next, allocated, knownWeight);
  }

  FsState withKnownWeight(long weight) {
    return new FsState(version, nodes, orphans, nextInode, allocated, weight);
  }

  FsState with(Node node) {
    // Only files have allocated bytes, and a node never changes its type: other old nodes need no
    // lookup.
    Node old = node.type() == NodeType.FILE ? node(node.id()) : null;
    long freed = old == null ? 0 : old.allocated();
    return new FsState(
        version,
        nodes.with(node),
        orphansWith(node),
        nextInode,
        allocated - freed + node.allocated());
  }

  FsState withNew(Node node) {
    if (node(node.id()) != null) {
      throw new IllegalArgumentException("node " + node.id() + " exists already");
    }
    return new FsState(
        version, nodes.with(node), orphansWith(node), nextInode + 1, allocated + node.allocated());
  }

  FsState without(Node node) {
    return new FsState(
        version,
        nodes.without(node.key()),
        orphans.without(node.key()),
        nextInode,
        allocated - node.allocated());
  }

  private MerkleTrie<Orphan> orphansWith(Node node) {
    if (!node.isOrphan()) {
      return orphans.isEmpty() ? orphans : orphans.without(node.key());
    }
    return orphans.get(node.key()) == null ? orphans.with(new Orphan(node.id())) : orphans;
  }
}
