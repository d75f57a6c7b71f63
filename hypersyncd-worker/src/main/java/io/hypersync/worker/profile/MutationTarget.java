package io.hypersync.worker.profile;

import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.FsOp;
import org.jspecify.annotations.Nullable;

/**
 * What a mutation is about: a name in a directory, or a node of which only the id is known.
 *
 * @param node the directory if there is a name, else the node itself
 * @param name the name, if the op has one; the new one of a rename
 */
public record MutationTarget(NodeId node, @Nullable Name name) {
  /**
   * The subject of an op; throws IllegalArgumentException for ReapOrphans and RestoreState, which
   * no worker sends.
   */
  public static MutationTarget of(FsOp op) {
    return switch (op) {
      case FsOp.CreateFile create -> new MutationTarget(create.parent(), create.name());
      case FsOp.MakeDir make -> new MutationTarget(make.parent(), make.name());
      case FsOp.MakeSymlink make -> new MutationTarget(make.parent(), make.name());
      case FsOp.MakeNode make -> new MutationTarget(make.parent(), make.name());
      case FsOp.Link made -> new MutationTarget(made.newParent(), made.newName());
      case FsOp.Unlink unlink -> new MutationTarget(unlink.parent(), unlink.name());
      case FsOp.RemoveDir remove -> new MutationTarget(remove.parent(), remove.name());
      case FsOp.Rename rename -> new MutationTarget(rename.newParent(), rename.newName());
      case FsOp.Write write -> new MutationTarget(write.node(), null);
      case FsOp.Truncate truncate -> new MutationTarget(truncate.node(), null);
      case FsOp.SetAttributes set -> new MutationTarget(set.node(), null);
      case FsOp.SetXattr set -> new MutationTarget(set.node(), null);
      case FsOp.RemoveXattr remove -> new MutationTarget(remove.node(), null);
      case FsOp.Allocate allocate -> new MutationTarget(allocate.node(), null);
      case FsOp.CopyRange copy -> new MutationTarget(copy.target(), null);
      case FsOp.MakeTemporary make -> new MutationTarget(make.parent(), null);
      case FsOp.LinkTemporary made -> new MutationTarget(made.newParent(), made.newName());
      case FsOp.ReapOrphans _ -> throw new IllegalArgumentException("no worker reaps");
      case FsOp.RestoreState _ -> throw new IllegalArgumentException("no worker restores");
    };
  }
}
