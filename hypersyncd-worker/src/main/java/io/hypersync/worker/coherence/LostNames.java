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
 * Which nodes have lately lost a name to another machine: a process of this one that has just come
 * to such a node by a path may have walked it before the name was gone. The kernel says only which
 * node it came to, so this tells as much of nodes that were come to by another name.
 *
 * <p>When a directory is moved, or a symbolic link goes or is replaced, everything counts; which
 * files its path led to is not looked up.
 *
 * <p>Single-threaded: the agent's thread.
 */
public final class LostNames {
  /**
   * How long a name counts as lost just now, from when that is visible here: longer than it takes
   * from a process's walk to the end of the barrier of the request that follows, even if neither it
   * nor the leader is run at once.
   */
  static final long LATELY_NS = 5_000_000_000L;

  /** So many nodes are remembered; if more lose a name in that time, all nodes count. */
  static final int MAX_NODES = 65_536;

  private final WorkerId self;

  /** Until when they count, in the order of that. */
  private final Map<NodeId, Long> untilNs = new LinkedHashMap<>();

  private boolean anyLost;
  private long anyUntilNs;

  /**
   * Nothing is lost.
   *
   * @param self whose own calls do not count: its kernel knows what they have done to names
   */
  public LostNames(WorkerId self) {
    this.self = self;
  }

  /**
   * An entry is about to be settled.
   *
   * @param before the state before it
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
      default -> {
        // Takes no name from what may be written to; a directory that is removed is empty.
      }
    }
  }

  /** Whether a path may have led to this node that does not lead there any more. */
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
    if (node.type() == NodeType.SYMLINK) { // what it led to has another path now, or none
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
