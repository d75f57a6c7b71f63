package io.hypersync.model.restore;

import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Says whether ops of a plan may still be done, while others change the workspace, too. Every op
 * sets the ctime of each node that it changes to its commit time, which no two ops share. So a node
 * whose ctime is the one of the planned state, or that of the plan's own last op on it, was changed
 * by nobody else.
 *
 * <p>A move of a directory changes nothing of what is below it. So the names that lead to an op's
 * place are looked up from the op's directory up to the root: what somebody has moved away, with
 * all that is in it, is theirs.
 *
 * <p>Not thread-safe.
 */
public final class RestoreGuards {
  private final FsState planned;

  /** The real ids of nodes that were made. */
  private final Map<NodeId, NodeId> ids = new HashMap<>();

  /** The ctimes that the plan's own ops have set, in ns since 1970. */
  private final Map<NodeId, Long> own = new HashMap<>();

  /**
   * Guards of one plan.
   *
   * @param planned the newest state when the plan was made
   */
  public RestoreGuards(FsState planned) {
    this.planned = planned;
  }

  /**
   * Whether ops may be done: false if somebody else has changed what they rest on.
   *
   * @param head the newest state
   */
  public boolean allow(GuardedOps step, FsState head) {
    for (NameGuard guard : step.names()) {
      if (!leadsOn(guard, head) || !isInPlace(guard.parent(), head)) {
        return false;
      }
    }
    for (NodeId id : step.unchanged()) {
      NodeId node = real(id);
      if (node == null || !isAsExpected(node, head)) {
        return false;
      }
    }
    for (NodeId id : step.linked()) {
      NodeId file = real(id);
      Node node = file == null ? null : head.node(file);
      if (node == null || node.attributes().nlink() < 2) {
        return false;
      }
    }
    return true;
  }

  /** Whether a name in a directory leads to what it should, wherever the directory is. */
  private boolean leadsOn(NameGuard guard, FsState head) {
    NodeId parent = real(guard.parent().node());
    Node directory = parent == null ? null : head.node(parent);
    if (directory == null || directory.isOrphan()) {
      return false;
    }
    Node there = head.lookup(directory, guard.name());
    NodeId expected = guard.node() == null ? null : real(guard.node());
    return there == null ? guard.node() == null : there.id().equals(expected);
  }

  /** Whether a directory is where it should be, and all those above it. */
  private boolean isInPlace(PlannedPlace place, FsState head) {
    for (NameGuard up = place.guard(); up != null; up = up.parent().guard()) {
      if (!leadsOn(up, head)) {
        return false;
      }
    }
    return true;
  }

  /** An op of the plan with the real ids of all nodes that were made so far. */
  public FsOp real(FsOp op) {
    return PlannedIds.replace(op, id -> ids.getOrDefault(id, id));
  }

  private @Nullable NodeId real(NodeId id) {
    return PlannedIds.isPlanned(id) ? ids.get(id) : id;
  }

  /** The real id of a node that the plan has made. */
  public void made(NodeId planned, NodeId real) {
    ids.put(planned, real);
  }

  private boolean isAsExpected(NodeId id, FsState head) {
    Node node = head.node(id);
    Long expected = own.get(id);
    if (expected == null) {
      Node before = planned.node(id);
      expected = before == null ? null : (Long) before.attributes().ctimeNs();
    }
    return node != null && expected != null && expected == node.attributes().ctimeNs();
  }

  /**
   * Remembers what an op of the plan has changed. What somebody else had changed before stays
   * somebody else's.
   *
   * @param op as it was committed
   * @param created the node that it has made, if it makes one
   */
  public void did(FsOp op, NodeId created, FsState before, FsState after) {
    for (NodeId id : changed(op, created, before)) {
      Node node = after.node(id);
      if (node == null) {
        own.remove(id);
      } else if (before.node(id) == null || isAsExpected(id, before)) {
        own.put(id, node.attributes().ctimeNs());
      }
    }
  }

  private static List<NodeId> changed(FsOp op, NodeId created, FsState before) {
    List<NodeId> changed = new ArrayList<>(4);
    switch (op) {
      case FsOp.CreateFile make -> changed.addAll(List.of(make.parent(), created));
      case FsOp.MakeDir make -> changed.addAll(List.of(make.parent(), created));
      case FsOp.MakeSymlink make -> changed.addAll(List.of(make.parent(), created));
      case FsOp.MakeNode make -> changed.addAll(List.of(make.parent(), created));
      case FsOp.MakeTemporary _ -> changed.add(created);
      case FsOp.Link link -> changed.addAll(List.of(link.newParent(), link.node()));
      case FsOp.LinkTemporary link -> changed.addAll(List.of(link.newParent(), link.node()));
      case FsOp.Unlink unlink -> named(before, unlink.parent(), unlink.name(), changed);
      case FsOp.RemoveDir remove -> named(before, remove.parent(), remove.name(), changed);
      case FsOp.Rename rename -> {
        named(before, rename.parent(), rename.name(), changed);
        named(before, rename.newParent(), rename.newName(), changed);
      }
      case FsOp.Write write -> changed.add(write.node());
      case FsOp.Truncate truncate -> changed.add(truncate.node());
      case FsOp.Allocate allocate -> changed.add(allocate.node());
      case FsOp.CopyRange copy -> changed.add(copy.target());
      case FsOp.SetAttributes set -> changed.add(set.node());
      case FsOp.SetXattr set -> changed.add(set.node());
      case FsOp.RemoveXattr remove -> changed.add(remove.node());
      case FsOp.ReapOrphans _, FsOp.RestoreState _ -> {
        // A plan has none.
      }
    }
    return changed;
  }

  private static void named(FsState state, NodeId parent, Name name, List<NodeId> changed) {
    changed.add(parent);
    Node directory = state.node(parent);
    Node node = directory == null ? null : state.lookup(directory, name);
    if (node != null) {
      changed.add(node.id());
    }
  }
}
