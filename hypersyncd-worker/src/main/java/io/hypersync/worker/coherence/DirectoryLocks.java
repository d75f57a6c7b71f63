package io.hypersync.worker.coherence;

import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;

/**
 * Which directories the kernel has locked for one call alone, from before the request until its
 * caller has taken up the answer. Of two calls that lock the same directory the second one's
 * request comes only when the first one's caller is through.
 *
 * <p>That is so in every kernel that is told to keep names (Linux 6.16): {@code i_rwsem} is held
 * for writing. Should a later one let two calls change a directory at once, this must go.
 */
public final class DirectoryLocks {
  private DirectoryLocks() {}

  /**
   * Whether an unanswered call that makes this change has the directory locked for certain: it
   * makes, removes or moves a name there.
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
          FsOp.ReapOrphans _ ->
          false;
    };
  }

  /**
   * Whether it may have it locked: also one that it removes or replaces, or moves to another
   * directory. Which one that is depends on where its names led when its caller found them, so
   * nothing can be proved by it.
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
          default -> false;
        };
  }

  private static boolean leadsTo(FsState state, NodeId parent, Name name, NodeId directory) {
    Node in = state.node(parent);
    Node target = in == null ? null : state.lookup(in, name);
    return target != null && target.id().equals(directory);
  }
}
