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
public record Subject(NodeId node, @Nullable Name name) {
  /**
   * The subject of an op; throws IllegalArgumentException for ReapOrphans, which no worker sends.
   */
  public static Subject of(FsOp op) {
    return switch (op) {
      case FsOp.CreateFile create -> new Subject(create.parent(), create.name());
      case FsOp.MakeDir make -> new Subject(make.parent(), make.name());
      case FsOp.MakeSymlink make -> new Subject(make.parent(), make.name());
      case FsOp.MakeNode make -> new Subject(make.parent(), make.name());
      case FsOp.Link made -> new Subject(made.newParent(), made.newName());
      case FsOp.Unlink unlink -> new Subject(unlink.parent(), unlink.name());
      case FsOp.RemoveDir remove -> new Subject(remove.parent(), remove.name());
      case FsOp.Rename rename -> new Subject(rename.newParent(), rename.newName());
      case FsOp.Write write -> new Subject(write.node(), null);
      case FsOp.Truncate truncate -> new Subject(truncate.node(), null);
      case FsOp.SetAttributes set -> new Subject(set.node(), null);
      case FsOp.SetXattr set -> new Subject(set.node(), null);
      case FsOp.RemoveXattr remove -> new Subject(remove.node(), null);
      case FsOp.Allocate allocate -> new Subject(allocate.node(), null);
      case FsOp.CopyRange copy -> new Subject(copy.target(), null);
      case FsOp.MakeTemporary make -> new Subject(make.parent(), null);
      case FsOp.LinkTemporary made -> new Subject(made.newParent(), made.newName());
      case FsOp.ReapOrphans _ -> throw new IllegalArgumentException("no worker reaps");
    };
  }
}
