package io.hypersync.model.state;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.NodeType;
import io.hypersync.model.state.NodeContent.Directory;
import io.hypersync.model.trie.MerkleTrie;
import io.hypersync.model.trie.TrieKey;
import org.jspecify.annotations.Nullable;

/**
 * Applies ops that add or remove a name, except rename, and holds the directory helpers that the
 * other ops share.
 */
final class NamespaceOps {
  /**
   * Maximum number of links of a file, as on ext4. The number of subdirectories is not limited, as
   * on ext4 with dir_nlink.
   */
  private static final int MAX_LINKS = 65_000;

  private NamespaceOps() {}

  static FsState createFile(FsState state, FsOp.CreateFile op, Stamp stamp) throws Rejected {
    NodeContent content = FileContent.EMPTY;
    return create(
        state,
        op.parent(),
        op.name(),
        NodeType.FILE,
        op.mode(),
        op.uid(),
        op.gid(),
        0,
        content,
        stamp);
  }

  static FsState makeNode(FsState state, FsOp.MakeNode op, Stamp stamp) throws Rejected {
    boolean device = op.type() == NodeType.CHARACTER_DEVICE || op.type() == NodeType.BLOCK_DEVICE;
    NodeContent content =
        op.type() == NodeType.FILE ? FileContent.EMPTY : new NodeContent.Special();
    return create(
        state,
        op.parent(),
        op.name(),
        op.type(),
        op.mode(),
        op.uid(),
        op.gid(),
        device ? op.rdev() : 0,
        content,
        stamp);
  }

  static FsState makeSymlink(FsState state, FsOp.MakeSymlink op, Stamp stamp) throws Rejected {
    return create(
        state,
        op.parent(),
        op.name(),
        NodeType.SYMLINK,
        0777,
        op.uid(),
        op.gid(),
        0,
        new NodeContent.Symlink(op.target()),
        stamp);
  }

  static FsState makeDir(FsState state, FsOp.MakeDir op, Stamp stamp) throws Rejected {
    return create(
        state,
        op.parent(),
        op.name(),
        NodeType.DIRECTORY,
        op.mode(),
        op.uid(),
        op.gid(),
        0,
        new Directory(op.parent(), MerkleTrie.empty()),
        stamp);
  }

  private static FsState create(
      FsState state,
      NodeId parentId,
      Name name,
      NodeType type,
      int mode,
      int uid,
      int gid,
      int rdev,
      NodeContent content,
      Stamp stamp)
      throws Rejected {
    Node parent = liveDirectory(state, parentId);
    if (entry(parent, name) != null) {
      throw new Rejected(Errno.EEXIST);
    }
    boolean directory = type == NodeType.DIRECTORY;
    // A directory with set-group-id passes its group on, and to subdirectories also the bit.
    boolean inherits = (parent.attributes().mode() & NodeAttributes.SET_GROUP_ID) != 0;
    int newGid = inherits ? parent.attributes().gid() : gid;
    int newMode = inherits && directory ? mode | NodeAttributes.SET_GROUP_ID : mode;
    long size = content instanceof NodeContent.Symlink(byte[] target) ? target.length : 0;
    long time = stamp.timeNs();
    Node node =
        new Node(
            stamp.newNode(),
            state.nextInode(),
            type,
            new NodeAttributes(
                newMode, uid, newGid, directory ? 2 : 1, size, time, time, time, rdev),
            content,
            MerkleTrie.empty());
    return state
        .withNew(node)
        .with(addEntry(parent, new DirEntry(name, node.id(), type), directory ? 1 : 0, time));
  }

  static FsState link(FsState state, FsOp.Link op, Stamp stamp) throws Rejected {
    Node node = existing(state, op.node());
    Node parent = parentOfNewLink(state, node, op.newParent(), op.newName());
    if (node.isOrphan()) {
      throw new Rejected(Errno.ENOENT);
    }
    return linked(state, node, parent, op.newName(), stamp);
  }

  /** The directory of a new link. EEXIST if the name is taken, EPERM if the node is a directory. */
  static Node parentOfNewLink(FsState state, Node node, NodeId parentId, Name name)
      throws Rejected {
    Node parent = liveDirectory(state, parentId);
    if (entry(parent, name) != null) {
      throw new Rejected(Errno.EEXIST);
    }
    if (node.type() == NodeType.DIRECTORY) {
      throw new Rejected(Errno.EPERM);
    }
    return parent;
  }

  static FsState linked(FsState state, Node node, Node parent, Name name, Stamp stamp)
      throws Rejected {
    if (node.attributes().nlink() >= MAX_LINKS) {
      throw new Rejected(Errno.EMLINK);
    }
    long time = stamp.timeNs();
    return state
        .with(links(node, 1, time))
        .with(addEntry(parent, new DirEntry(name, node.id(), node.type()), 0, time));
  }

  static FsState unlink(FsState state, FsOp.Unlink op, Stamp stamp) throws Rejected {
    Node parent = liveDirectory(state, op.parent());
    Node node = existingEntry(state, parent, op.name());
    if (node.type() == NodeType.DIRECTORY) {
      throw new Rejected(Errno.EISDIR);
    }
    return state
        .with(links(node, -1, stamp.timeNs()))
        .with(removeEntry(parent, op.name(), 0, stamp.timeNs()));
  }

  static FsState removeDir(FsState state, FsOp.RemoveDir op, Stamp stamp) throws Rejected {
    Node parent = liveDirectory(state, op.parent());
    Node node = existingEntry(state, parent, op.name());
    requireEmptyDirectory(node);
    return state
        .with(orphanedDirectory(node, stamp.timeNs()))
        .with(removeEntry(parent, op.name(), 1, stamp.timeNs()));
  }

  static void requireEmptyDirectory(Node node) throws Rejected {
    if (!directory(node).entries().isEmpty()) {
      throw new Rejected(Errno.ENOTEMPTY);
    }
  }

  static Node orphanedDirectory(Node node, long timeNs) {
    return node.with(node.attributes().withNlink(0).changed(timeNs));
  }

  static Node links(Node node, int change, long timeNs) {
    NodeAttributes attributes = node.attributes();
    return node.with(attributes.withNlink(attributes.nlink() + change).changed(timeNs));
  }

  /**
   * The directory with this id, which must have a name: nothing can be created in or moved into a
   * removed directory (ENOENT).
   */
  static Node liveDirectory(FsState state, NodeId id) throws Rejected {
    Node node = existing(state, id);
    if (node.type() != NodeType.DIRECTORY) {
      throw new Rejected(Errno.ENOTDIR);
    }
    if (node.isOrphan()) {
      throw new Rejected(Errno.ENOENT);
    }
    return node;
  }

  static Node existing(FsState state, NodeId id) throws Rejected {
    Node node = state.node(id);
    if (node == null) {
      throw new Rejected(Errno.ENOENT);
    }
    return node;
  }

  static Node existingEntry(FsState state, Node parent, Name name) throws Rejected {
    DirEntry entry = entry(parent, name);
    if (entry == null) {
      throw new Rejected(Errno.ENOENT);
    }
    return existing(state, entry.node());
  }

  static @Nullable DirEntry entry(Node parent, Name name) throws Rejected {
    return directory(parent).entries().get(TrieKey.of(name.bytes()));
  }

  static Directory directory(Node node) throws Rejected {
    if (node.content() instanceof Directory directory) {
      return directory;
    }
    throw new Rejected(Errno.ENOTDIR);
  }

  static Node addEntry(Node parent, DirEntry entry, int subdirectories, long timeNs)
      throws Rejected {
    Directory directory = directory(parent);
    return withEntries(parent, directory.entries().with(entry), subdirectories, timeNs);
  }

  static Node removeEntry(Node parent, Name name, int subdirectories, long timeNs) throws Rejected {
    Directory directory = directory(parent);
    return withEntries(
        parent, directory.entries().without(TrieKey.of(name.bytes())), -subdirectories, timeNs);
  }

  private static Node withEntries(
      Node parent, MerkleTrie<DirEntry> entries, int linkChange, long timeNs) throws Rejected {
    NodeAttributes attributes = parent.attributes();
    return parent
        .with(new Directory(directory(parent).parent(), entries))
        .with(attributes.withNlink(attributes.nlink() + linkChange).modified(timeNs));
  }
}
