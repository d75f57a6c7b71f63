package io.hypersync.leader.hazard;

import io.hypersync.model.hazard.CallPaths;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.NodeType;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Tells at which paths an op changes content, names, or what exists. */
final class Changes {
  private static final byte[] UNKNOWN = {};

  /**
   * A change at a path.
   *
   * @param path as {@link CheckedPath#verified}; empty if it is not known
   * @param node what is there, or was
   * @param isNamed whether the path leads to it; a file that was removed keeps its last path
   */
  record Change(byte[] path, NodeId node, boolean isDirectory, boolean isNamed) {}

  private Changes() {}

  /**
   * The changes of an op: at most two, in the order in which the call names the paths.
   *
   * @param isContentChanged whether it leaves other bytes in a file than there were
   */
  static List<Change> of(
      FsOp op, CallPaths paths, boolean isContentChanged, FsState before, FsState after) {
    byte[] path = paths.first();
    return switch (op) {
      case FsOp.Write write -> content(isContentChanged, before, write.node(), path);
      case FsOp.Truncate cut -> content(isContentChanged, before, cut.node(), path);
      case FsOp.Allocate clear -> content(isContentChanged, before, clear.node(), path);
      case FsOp.CopyRange copy -> content(isContentChanged, before, copy.target(), path);
      case FsOp.CreateFile make -> List.of(name(after, make.parent(), make.name(), path));
      case FsOp.MakeDir make -> List.of(name(after, make.parent(), make.name(), path));
      case FsOp.MakeSymlink make -> List.of(name(after, make.parent(), make.name(), path));
      case FsOp.MakeNode make -> List.of(name(after, make.parent(), make.name(), path));
      case FsOp.Link link -> List.of(name(after, link.newParent(), link.newName(), path));
      case FsOp.LinkTemporary link -> List.of(name(after, link.newParent(), link.newName(), path));
      case FsOp.Unlink unlink -> List.of(name(before, unlink.parent(), unlink.name(), path));
      case FsOp.RemoveDir remove -> List.of(name(before, remove.parent(), remove.name(), path));
      case FsOp.Rename rename ->
          List.of(
              name(before, rename.parent(), rename.name(), path),
              name(after, rename.newParent(), rename.newName(), paths.second()));
      case FsOp.SetAttributes _,
          FsOp.SetXattr _,
          FsOp.RemoveXattr _,
          FsOp.MakeTemporary _, // which has no path
          FsOp.ReapOrphans _,
          FsOp.RestoreState _ ->
          List.of();
    };
  }

  private static List<Change> content(boolean isChanged, FsState before, NodeId id, byte[] path) {
    return isChanged ? List.of(change(before, before.node(id), path)) : List.of();
  }

  private static Change name(FsState state, NodeId parent, Name name, byte[] path) {
    return change(state, Touches.at(state, parent, name), path);
  }

  private static Change change(FsState state, @Nullable Node node, byte[] path) {
    return node == null
        ? new Change(UNKNOWN, FsState.ROOT, false, false)
        : new Change(
            CheckedPath.verified(path, node.id(), state),
            node.id(),
            node.type() == NodeType.DIRECTORY,
            !node.isOrphan());
  }
}
