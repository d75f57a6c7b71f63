package io.hypersync.worker.coherence;

import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.FsOp;

/**
 * Which directories the kernel has locked for one call alone, from before the request until its
 * caller has taken up the answer: those in which the call makes, removes or moves a name. Of two
 * calls that lock the same directory the second one's request comes only when the first one's
 * caller is through.
 */
public final class DirectoryLocks {
  private DirectoryLocks() {}

  /** Whether an unanswered call that makes this change has the directory locked. */
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
}
