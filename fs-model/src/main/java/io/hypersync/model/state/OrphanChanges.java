package io.hypersync.model.state;

import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.FsOp;
import org.jspecify.annotations.Nullable;

/**
 * Which nodes an entry leaves without a name, and which orphans it gives a name or forgets
 * (hypersync.md 6.8). Whoever follows all entries knows the orphans without looking at the state.
 */
public final class OrphanChanges {
  private OrphanChanges() {}

  /** Hears of orphans, in the order of the log. */
  public interface Listener {
    /** The node has no name any more, or was made without one. */
    void orphaned(Node node);

    /** The orphan has got a name, or was reaped. */
    void orphanGone(NodeId node);
  }

  /**
   * Tells what an entry does, given the states around it.
   *
   * @param before the state without the entry
   * @param after the state with it
   */
  public static void tell(LogEntry entry, FsState before, FsState after, Listener listener) {
    switch (entry.op()) {
      case FsOp.Unlink unlink -> unnamed(unlink.parent(), unlink.name(), before, after, listener);
      case FsOp.RemoveDir remove ->
          unnamed(remove.parent(), remove.name(), before, after, listener);
      case FsOp.Rename rename ->
          unnamed(rename.newParent(), rename.newName(), before, after, listener);
      case FsOp.MakeTemporary _ -> orphan(after.node(entry.createdNode()), listener);
      case FsOp.LinkTemporary link -> listener.orphanGone(link.node());
      case FsOp.ReapOrphans reap -> reap.nodes().forEach(listener::orphanGone);
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
        // No name goes, and only files without one have none.
      }
    }
  }

  /** What the name led to, if that was its last one. */
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
