package io.hypersync.model.state;

import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.trie.MerkleTrie;
import org.jspecify.annotations.Nullable;

/**
 * Finds the nodes that an entry leaves without a name, and the orphans that it links or reaps
 * (hypersync.md 6.8). Whoever follows all entries can maintain the set of orphans without scanning
 * the state.
 */
public final class OrphanChanges {
  private OrphanChanges() {}

  /** Receives the changes, in log order, on the thread that calls {@link #report}. */
  public interface Listener {
    /** The node has become an orphan: it lost its last name, or was created without one. */
    void orphaned(Node node);

    /** The node is no longer an orphan: it was linked, or reaped. */
    void orphanGone(NodeId node);
  }

  /**
   * Reports the changes of one entry to the listener.
   *
   * @param before the state before the entry
   * @param after the state after the entry
   */
  public static void report(LogEntry entry, FsState before, FsState after, Listener listener) {
    report(entry.op(), entry.createdNode(), before, after, listener);
  }

  /**
   * Looks at all that {@link #report} looks at, so that it is in memory from now on.
   *
   * @param created the node that the op has made; ignored for ops that make none
   * @throws io.hypersync.model.trie.PageUnreadableException if some of it is not in memory, and
   *     cannot be read
   */
  public static void look(FsOp op, NodeId created, FsState before, FsState after) {
    report(op, created, before, after, NOBODY);
  }

  /**
   * Reports what is different between the orphans of two states that need not follow each other.
   * Looks at all orphans, of which there are few.
   */
  public static void between(FsState before, FsState after, Listener listener) {
    for (Orphan orphan : after.orphans()) {
      if (before.orphans().get(orphan.key()) == null) {
        orphan(after.node(orphan.node()), listener);
      }
    }
    for (Orphan orphan : before.orphans()) {
      if (after.orphans().get(orphan.key()) == null) {
        listener.orphanGone(orphan.node());
      }
    }
  }

  /** Looks at all that {@link #between} looks at, so that it is in memory from now on. */
  public static void lookBetween(FsState before, FsState after) {
    between(before, after, NOBODY);
  }

  private static final Listener NOBODY =
      new Listener() {
        @Override
        public void orphaned(Node node) {}

        @Override
        public void orphanGone(NodeId node) {}
      };

  static void report(FsOp op, NodeId created, FsState before, FsState after, Listener listener) {
    switch (op) {
      case FsOp.Unlink unlink -> unnamed(unlink.parent(), unlink.name(), before, after, listener);
      case FsOp.RemoveDir remove ->
          unnamed(remove.parent(), remove.name(), before, after, listener);
      case FsOp.Rename rename ->
          unnamed(rename.newParent(), rename.newName(), before, after, listener);
      case FsOp.MakeTemporary _ -> orphan(after.node(created), listener);
      case FsOp.LinkTemporary link -> listener.orphanGone(link.node());
      case FsOp.ReapOrphans reap -> reap.nodes().forEach(listener::orphanGone);
      case FsOp.RestoreState _ -> restored(before, after, listener);
      case FsOp.CreateFile _,
          FsOp.MakeDir _,
          FsOp.MakeSymlink _,
          FsOp.MakeNode _,
          FsOp.Link _,
          FsOp.Write _,
          FsOp.Truncate _,
          FsOp.SetAttributes _,
          FsOp.SetXattr _,
          FsOp.RemoveXattr _,
          FsOp.Allocate _,
          FsOp.CopyRange _ -> {
        // These remove no name and create no node without one.
      }
    }
  }

  /** There are few orphans, so what differs of them is looked for. */
  private static void restored(FsState before, FsState after, Listener listener) {
    MerkleTrie.compare(
        before.orphans(),
        after.orphans(),
        after.version(),
        (was, is) -> {
          if (is != null) {
            orphan(after.node(is.node()), listener);
          } else if (was != null) {
            listener.orphanGone(was.node());
          }
        });
  }

  /** Reports the node that the name led to, if it has no name left. */
  private static void unnamed(
      NodeId parent, Name name, FsState before, FsState after, Listener listener) {
    Node directory = before.node(parent);
    Node target = directory == null ? null : before.lookup(directory, name);
    if (target != null) {
      orphan(after.node(target.id()), listener);
    }
  }

  private static void orphan(@Nullable Node node, Listener listener) {
    if (node != null && node.isOrphan()) {
      listener.orphaned(node);
    }
  }
}
