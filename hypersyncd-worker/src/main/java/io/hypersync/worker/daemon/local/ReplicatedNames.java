package io.hypersync.worker.daemon.local;

import io.hypersync.model.id.InodeNo;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.NodeType;
import io.hypersync.model.state.DirEntry;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.model.state.NodeContent;
import io.hypersync.worker.coherence.View;
import io.hypersync.worker.inotify.NameInDirectory;
import io.hypersync.worker.local.IgnoreRules;
import io.hypersync.worker.vfs.KernelInodes;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What the replicated state has: it decides about each name before any pattern does. Throws {@link
 * io.hypersync.model.trie.PageUnreadableException} if a part of the state is not here.
 */
final class ReplicatedNames {
  /** Deeper than any directory of the state. */
  private static final int MAX_DEPTH = 1 << 13;

  private final Supplier<View> view;
  private final KernelInodes inodes;

  ReplicatedNames(Supplier<View> view, KernelInodes inodes) {
    this.view = view;
    this.inodes = inodes;
  }

  /** A directory of one state, which has a place in the tree. */
  record Directory(FsState state, Node node) {
    /** What a name leads to; null if nothing. */
    @Nullable Node child(Name name) {
      return state.lookup(node, name);
    }
  }

  FsState state() {
    return view.get().state();
  }

  /** The directory that the kernel has under a number; null if it is none, or is removed. */
  @Nullable Directory directory(InodeNo inode) {
    NodeId id = inodes.node(inode);
    return id == null ? null : directory(state(), id);
  }

  /** A directory; null if it is none, or is removed. */
  static @Nullable Directory directory(FsState state, NodeId id) {
    Node node = state.node(id);
    return node == null || node.type() != NodeType.DIRECTORY || node.isOrphan()
        ? null
        : new Directory(state, node);
  }

  /** The number of a node; that of the root if it is gone. */
  InodeNo inode(NodeId id) {
    Node node = state().node(id);
    return node == null ? InodeNo.ROOT : node.inode();
  }

  /**
   * The names on the way to a directory, as {@link IgnoreRules#text} has them; none for the root.
   * Null if it has no place in the tree. The kernel has mostly looked it up, so its name is known;
   * otherwise the directory above is searched.
   */
  @Nullable List<String> path(Directory directory) {
    List<String> names = new ArrayList<>();
    Node at = directory.node;
    while (!at.id().equals(FsState.ROOT)) {
      Node parent =
          at.content() instanceof NodeContent.Directory(var above, _)
              ? directory.state.node(above)
              : null;
      Name name = parent == null ? null : name(directory.state, parent, at);
      if (parent == null || name == null || names.size() == MAX_DEPTH) {
        return null;
      }
      names.add(IgnoreRules.text(name));
      at = parent;
    }
    return names.reversed();
  }

  private @Nullable Name name(FsState state, Node parent, Node child) {
    NameInDirectory place = inodes.place(child.inode());
    if (place != null && place.directory().equals(parent.inode())) {
      Node found = state.lookup(parent, place.name());
      if (found != null && found.id().equals(child.id())) {
        return place.name();
      }
    }
    if (parent.content() instanceof NodeContent.Directory(_, var entries)) {
      for (DirEntry entry : entries) {
        if (entry.node().equals(child.id())) {
          return entry.name();
        }
      }
    }
    return null;
  }
}
