package io.hypersync.worker.coherence;

import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.model.trie.PageUnreadableException;

/**
 * Decides which directories the kernel holds locked exclusively for a call, from before its request
 * is sent until its caller has processed the reply. Of two calls that lock the same directory, the
 * request of the second arrives only after the caller of the first has processed its reply.
 *
 * <p>This holds for every kernel that is allowed to cache names (Linux 6.16 and later; {@code
 * FuseVersion.NAMES_MINOR}): {@code i_rwsem} is held for writing. If a later kernel lets two calls
 * change a directory at once, this class must go.
 */
public final class DirectoryLocks {
  private DirectoryLocks() {}

  /**
   * Whether an unanswered call with this op certainly holds the directory's lock: the op creates,
   * removes or moves a name in the directory.
   */
  public static boolean holds(FsOp op, NodeId directory) {
    return switch (op) {
      case FsOp.CreateFile create -> create.parent().equals(directory);
      case FsOp.MakeDir make -> make.parent().equals(directory);
      case FsOp.MakeSymlink make -> make.parent().equals(directory);
      case FsOp.MakeNode make -> make.parent().equals(directory);
      case FsOp.Link link -> link.newParent().equals(directory);
      case FsOp.LinkTemporary link -> link.newParent().equals(directory);
      case FsOp.Unlink unlink -> unlink.parent().equals(directory);
      case FsOp.RemoveDir remove -> remove.parent().equals(directory);
      case FsOp.Rename rename ->
          rename.parent().equals(directory) || rename.newParent().equals(directory);
      case FsOp.Write _,
          FsOp.Truncate _,
          FsOp.Allocate _,
          FsOp.CopyRange _,
          FsOp.SetAttributes _,
          FsOp.SetXattr _,
          FsOp.RemoveXattr _,
          FsOp.MakeTemporary _,
          FsOp.ReapOrphans _,
          FsOp.RestoreState _ ->
          false;
    };
  }

  /**
   * Whether an unanswered call with this op may hold the directory's lock: besides {@link #holds},
   * the op may remove or replace the directory, or move it into another one. Which directory that
   * is depends on where the op's names led when its caller looked them up, so a positive answer
   * proves nothing.
   *
   * @param state where names lead now
   */
  public static boolean mayHold(FsOp op, NodeId directory, FsState state) {
    return holds(op, directory)
        || switch (op) {
          case FsOp.RemoveDir remove -> leadsTo(state, remove.parent(), remove.name(), directory);
          case FsOp.Rename rename ->
              leadsTo(state, rename.newParent(), rename.newName(), directory)
                  || (!rename.parent().equals(rename.newParent())
                      && leadsTo(state, rename.parent(), rename.name(), directory));
          case FsOp.CreateFile _,
              FsOp.MakeDir _,
              FsOp.MakeSymlink _,
              FsOp.MakeNode _,
              FsOp.Link _,
              FsOp.LinkTemporary _,
              FsOp.Unlink _,
              FsOp.Write _,
              FsOp.Truncate _,
              FsOp.Allocate _,
              FsOp.CopyRange _,
              FsOp.SetAttributes _,
              FsOp.SetXattr _,
              FsOp.RemoveXattr _,
              FsOp.MakeTemporary _,
              FsOp.ReapOrphans _,
              FsOp.RestoreState _ ->
              false;
        };
  }

  private static boolean leadsTo(FsState state, NodeId parent, Name name, NodeId directory) {
    try {
      Node in = state.node(parent);
      Node target = in == null ? null : state.lookup(in, name);
      return target != null && target.id().equals(directory);
    } catch (PageUnreadableException e) {
      return true; // it may
    }
  }
}
