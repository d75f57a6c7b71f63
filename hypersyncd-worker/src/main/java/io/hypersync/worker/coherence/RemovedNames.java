package io.hypersync.worker.coherence;

import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.NodeType;
import io.hypersync.model.op.RenameMode;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Tracks the nodes from which another host has recently taken a name. A process of this host that
 * has just reached such a node by a path may have walked the path before the name was gone. The
 * kernel reports only the node, so the answer is the same for a process that reached it by another
 * of its names.
 *
 * <p>If a directory is moved, or a symlink is removed or replaced, every node counts as affected:
 * the files that paths through it led to are not looked up.
 *
 * <p>Single-threaded: the agent's thread.
 */
public final class RemovedNames {
  /**
   * How long a lost name counts, from when its loss is visible here. Longer than the time from a
   * process's path walk to the end of the barrier of the request that follows, even if neither the
   * process nor the leader gets a processor at once.
   */
  static final long LATELY_NS = 5_000_000_000L;

  /** The most nodes that are remembered; if more lose a name within that time, all nodes count. */
  static final int MAX_NODES = 65_536;

  private final WorkerId self;

  /** The nodes that have lost a name, and until when each counts (monotonic); earliest first. */
  private final Map<NodeId, Long> untilNs = new LinkedHashMap<>();

  private boolean anyLost;
  private long anyUntilNs;

  /**
   * Creates a tracker without any lost name.
   *
   * @param self the own worker, whose entries do not count: the kernel updates the names of local
   *     calls itself
   */
  public RemovedNames(WorkerId self) {
    this.self = self;
  }

  /**
   * Records the names that an entry takes from nodes; called before the entry is settled.
   *
   * @param before the state before the entry
   */
  public void applied(LogEntry entry, FsState before, long nowNs) {
    if (entry.origin().equals(self)) {
      return;
    }
    switch (entry.op()) {
      case FsOp.Unlink unlink -> lost(before, unlink.parent(), unlink.name(), nowNs);
      case FsOp.Rename rename -> {
        lost(before, rename.parent(), rename.name(), nowNs);
        lost(before, rename.newParent(), rename.newName(), nowNs);
        movedDirectory(before, rename.parent(), rename.name(), nowNs);
        if (rename.mode() == RenameMode.EXCHANGE) {
          movedDirectory(before, rename.newParent(), rename.newName(), nowNs);
        }
      }
      case FsOp.RemoveDir _,
          FsOp.CreateFile _,
          FsOp.MakeDir _,
          FsOp.MakeSymlink _,
          FsOp.MakeNode _,
          FsOp.Link _,
          FsOp.LinkTemporary _,
          FsOp.Write _,
          FsOp.Truncate _,
          FsOp.Allocate _,
          FsOp.CopyRange _,
          FsOp.SetAttributes _,
          FsOp.SetXattr _,
          FsOp.RemoveXattr _,
          FsOp.MakeTemporary _,
          FsOp.ReapOrphans _ -> {
        // Takes no name from a file; a directory that is removed is empty.
      }
      case FsOp.RestoreState _ -> allLost(nowNs);
    }
  }

  /** Another state has taken the place of the visible one; called before it is settled. */
  public void replaced(long nowNs) {
    allLost(nowNs);
  }

  /**
   * Whether a path that led to this node within the last {@code LATELY_NS} may lead elsewhere now.
   */
  public boolean hasLost(NodeId node, long nowNs) {
    if (anyLost && nowNs - anyUntilNs < 0) {
      return true;
    }
    Long until = untilNs.get(node);
    return until != null && nowNs - until < 0;
  }

  private void lost(FsState before, NodeId parent, Name name, long nowNs) {
    forgetOld(nowNs);
    Node node = find(before, parent, name);
    if (node == null || node.type() == NodeType.DIRECTORY) {
      return;
    }
    if (node.type() == NodeType.SYMLINK) { // paths through it lead elsewhere now
      allLost(nowNs);
      return;
    }
    untilNs.remove(node.id()); // to the end of the order
    if (untilNs.size() >= MAX_NODES) {
      allLost(nowNs);
    } else {
      untilNs.put(node.id(), nowNs + LATELY_NS);
    }
  }

  private void movedDirectory(FsState before, NodeId parent, Name name, long nowNs) {
    Node node = find(before, parent, name);
    if (node != null && node.type() == NodeType.DIRECTORY) {
      allLost(nowNs);
    }
  }

  private void allLost(long nowNs) {
    anyLost = true;
    anyUntilNs = nowNs + LATELY_NS;
  }

  private void forgetOld(long nowNs) {
    var oldest = untilNs.values().iterator();
    while (oldest.hasNext() && nowNs - oldest.next() >= 0) {
      oldest.remove();
    }
    anyLost = anyLost && nowNs - anyUntilNs < 0;
  }

  private static @Nullable Node find(FsState state, NodeId parent, Name name) {
    Node directory = state.node(parent);
    return directory == null ? null : state.lookup(directory, name);
  }
}
