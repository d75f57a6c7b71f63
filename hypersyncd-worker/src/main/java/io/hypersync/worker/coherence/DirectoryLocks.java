package io.hypersync.worker.coherence;

import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.RenameMode;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;

/**
 * Which directories the kernel has locked for one call alone, from before the request until its
 * caller has taken up the answer: those in which the call makes, removes or moves a name, one that
 * it removes or replaces, and one that it moves to another directory. Of two calls that lock the
 * same directory the second one's request comes only when the first one's caller is through.
 *
 * <p>That is so in every kernel that is told to keep names (Linux 6.16): {@code i_rwsem} is held
 * for writing. Should a later one let two calls change a directory at once, this must go.
 */
public final class DirectoryLocks {
  private DirectoryLocks() {}

  /**
   * Whether an unanswered call that makes this change has the directory locked.
   *
   * @param state the state in which the call found its names
   */
  public static boolean holds(FsOp op, NodeId directory, FsState state) {
    return switch (op) {
      case FsOp.CreateFile create -> create.parent().equals(directory);
      case FsOp.MakeDir make -> make.parent().equals(directory);
      case FsOp.MakeSymlink make -> make.parent().equals(directory);
      case FsOp.MakeNode make -> make.parent().equals(directory);
      case FsOp.Link link -> link.newParent().equals(directory);
      case FsOp.LinkTemporary link -> link.newParent().equals(directory);
      case FsOp.Unlink unlink -> unlink.parent().equals(directory);
      case FsOp.RemoveDir remove ->
          remove.parent().equals(directory)
              || leadsTo(state, remove.parent(), remove.name(), directory);
      case FsOp.Rename rename -> holds(rename, directory, state);
      case FsOp.Write _,
          FsOp.Truncate _,
          FsOp.Allocate _,
          FsOp.CopyRange _,
          FsOp.SetAttributes _,
          FsOp.SetXattr _,
          FsOp.RemoveXattr _,
          FsOp.MakeTemporary _,
          FsOp.ReapOrphans _ ->
          false;
    };
  }

  private static boolean holds(FsOp.Rename rename, NodeId directory, FsState state) {
    boolean elsewhere = !rename.parent().equals(rename.newParent());
    return rename.parent().equals(directory)
        || rename.newParent().equals(directory)
        || (elsewhere && leadsTo(state, rename.parent(), rename.name(), directory))
        || ((elsewhere || rename.mode() != RenameMode.EXCHANGE)
            && leadsTo(state, rename.newParent(), rename.newName(), directory));
  }

  private static boolean leadsTo(FsState state, NodeId parent, Name name, NodeId directory) {
    Node in = state.node(parent);
    Node target = in == null ? null : state.lookup(in, name);
    return target != null && target.id().equals(directory);
  }
}
