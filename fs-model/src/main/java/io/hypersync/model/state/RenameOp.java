package io.hypersync.model.state;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.NodeType;
import io.hypersync.model.op.RenameMode;
import io.hypersync.model.state.NodeContent.Directory;
import org.jspecify.annotations.Nullable;

/**
 * Applies rename and renameat2, atomically in the namespace (hypersync.md 6.1, 5.2(3)). If several
 * errors apply, the result is the one that Linux checks first.
 */
final class RenameOp {
  /**
   * Link count of a directory without subdirectories: its name and its "."; each subdirectory adds
   * one.
   */
  private static final int LINKS_OF_A_LEAF = 2;

  private RenameOp() {}

  static FsState rename(FsState state, FsOp.Rename op, Stamp stamp) throws Rejected {
    Node from = NamespaceOps.liveDirectory(state, op.parent());
    Node to = NamespaceOps.liveDirectory(state, op.newParent());
    Node source = NamespaceOps.existingEntry(state, from, op.name());
    DirEntry targetEntry = NamespaceOps.entry(to, op.newName());
    Node target = targetEntry == null ? null : NamespaceOps.existing(state, targetEntry.node());

    if (op.mode() == RenameMode.NO_REPLACE && target != null) {
      throw new Rejected(Errno.EEXIST);
    }
    if (op.mode() == RenameMode.EXCHANGE && target == null) {
      throw new Rejected(Errno.ENOENT);
    }
    // No check is needed within one directory: a child of it is an ancestor neither of it nor of
    // its ancestors.
    boolean stays = op.parent().equals(op.newParent());
    if (!stays && isAtOrAbove(state, source, to)) {
      throw new Rejected(Errno.EINVAL); // a directory must not become its own descendant
    }
    if (target == null) {
      return move(state, op, source, null, stamp);
    }
    boolean exchange = op.mode() == RenameMode.EXCHANGE;
    if (!stays && isAtOrAbove(state, target, from)) {
      throw new Rejected(exchange ? Errno.EINVAL : Errno.ENOTEMPTY);
    }
    if (target.id().equals(source.id())) {
      return state; // two links to the same file: POSIX requires no change
    }
    if (exchange) {
      return exchange(state, op, source, target, stamp);
    }
    requireReplaceable(source, target);
    return move(state, op, source, target, stamp);
  }

  private static FsState move(
      FsState state, FsOp.Rename op, Node source, @Nullable Node target, Stamp stamp)
      throws Rejected {
    long time = stamp.timeNs();
    int directories = subdirectories(source);
    FsState next = state;
    if (target != null) {
      boolean directory = target.type() == NodeType.DIRECTORY;
      next =
          next.with(
              directory
                  ? NamespaceOps.orphanedDirectory(target, time)
                  : NamespaceOps.links(target, -1, time));
      Node to = NamespaceOps.existing(next, op.newParent());
      next = next.with(NamespaceOps.removeEntry(to, op.newName(), subdirectories(target), time));
    }
    Node from = NamespaceOps.existing(next, op.parent());
    next = next.with(NamespaceOps.removeEntry(from, op.name(), directories, time));
    Node to = NamespaceOps.existing(next, op.newParent());
    DirEntry entry = new DirEntry(op.newName(), source.id(), source.type());
    next = next.with(NamespaceOps.addEntry(to, entry, directories, time));
    return next.with(moved(source, op.newParent(), time));
  }

  private static FsState exchange(
      FsState state, FsOp.Rename op, Node source, Node target, Stamp stamp) throws Rejected {
    long time = stamp.timeNs();
    FsState next = state;
    Node from = NamespaceOps.existing(next, op.parent());
    from = NamespaceOps.removeEntry(from, op.name(), subdirectories(source), time);
    DirEntry here = new DirEntry(op.name(), target.id(), target.type());
    next = next.with(NamespaceOps.addEntry(from, here, subdirectories(target), time));
    Node to = NamespaceOps.existing(next, op.newParent());
    to = NamespaceOps.removeEntry(to, op.newName(), subdirectories(target), time);
    DirEntry there = new DirEntry(op.newName(), source.id(), source.type());
    next = next.with(NamespaceOps.addEntry(to, there, subdirectories(source), time));
    next = next.with(moved(source, op.newParent(), time));
    return next.with(moved(target, op.parent(), time));
  }

  private static int subdirectories(Node node) {
    return node.type() == NodeType.DIRECTORY ? 1 : 0;
  }

  private static Node moved(Node node, NodeId parent, long timeNs) {
    Node changed = node.with(node.attributes().changed(timeNs));
    return node.content() instanceof Directory directory
        ? changed.with(new Directory(parent, directory.entries()))
        : changed;
  }

  private static void requireReplaceable(Node source, Node target) throws Rejected {
    boolean sourceIsDirectory = source.type() == NodeType.DIRECTORY;
    boolean targetIsDirectory = target.type() == NodeType.DIRECTORY;
    if (sourceIsDirectory && !targetIsDirectory) {
      throw new Rejected(Errno.ENOTDIR);
    }
    if (!sourceIsDirectory && targetIsDirectory) {
      throw new Rejected(Errno.EISDIR);
    }
    if (targetIsDirectory) {
      NamespaceOps.requireEmptyDirectory(target);
    }
  }

  /**
   * Whether applying the rename would walk over more than {@code most} ancestors of a directory.
   * Only a rename between two directories walks, and only if the source or the target is a
   * directory with subdirectories.
   */
  static boolean looksAtMore(FsState state, FsOp.Rename op, int most) {
    if (op.parent().equals(op.newParent())) {
      return false;
    }
    return (hasSubdirectories(state, op.parent(), op.name())
            && isDeeper(state, op.newParent(), most))
        || (hasSubdirectories(state, op.newParent(), op.newName())
            && isDeeper(state, op.parent(), most));
  }

  private static boolean hasSubdirectories(FsState state, NodeId parent, Name name) {
    Node directory = state.node(parent);
    Node node = directory == null ? null : state.lookup(directory, name);
    return node != null && hasSubdirectories(node);
  }

  private static boolean hasSubdirectories(Node node) {
    return node.type() == NodeType.DIRECTORY && node.attributes().nlink() > LINKS_OF_A_LEAF;
  }

  private static boolean isDeeper(FsState state, NodeId directory, int most) {
    NodeId at = directory;
    for (int i = 0; i < most; i++) {
      Node node = state.node(at);
      if (node == null
          || !(node.content() instanceof Directory(NodeId parent, var _))
          || parent.equals(at)) {
        return false;
      }
      at = parent;
    }
    return true;
  }

  /**
   * Whether {@code node} is the directory {@code below} or one of its ancestors. A node without
   * subdirectories is an ancestor of no other directory, so only the ids are compared.
   */
  private static boolean isAtOrAbove(FsState state, Node node, Node below) throws Rejected {
    if (!hasSubdirectories(node)) {
      return node.id().equals(below.id());
    }
    Node at = below;
    while (!at.id().equals(node.id())) {
      NodeId parent = NamespaceOps.directory(at).parent();
      if (parent.equals(at.id())) {
        return false;
      }
      at = NamespaceOps.existing(state, parent);
    }
    return true;
  }
}
