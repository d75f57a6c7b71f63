package io.hypersync.model.restore;

import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.FsOp;
import java.util.function.UnaryOperator;

/**
 * Ids of nodes that a plan creates, until the leader has given them real ones. Real ids have a time
 * in their first half, where these have zeros, as the root has.
 */
public final class PlannedIds {
  private long last = 1; // the root's

  /** Another id. */
  NodeId next() {
    last++;
    return new NodeId(0, last);
  }

  /** Whether an id is a planned one. */
  public static boolean isPlanned(NodeId id) {
    return id.high() == 0 && Long.compareUnsigned(id.low(), 1) > 0;
  }

  /**
   * The op with other ids.
   *
   * @param ids gives the id for each id in the op
   */
  public static FsOp replace(FsOp op, UnaryOperator<NodeId> ids) {
    return switch (op) {
      case FsOp.CreateFile make ->
          new FsOp.CreateFile(
              ids.apply(make.parent()), make.name(), make.mode(), make.uid(), make.gid());
      case FsOp.MakeDir make ->
          new FsOp.MakeDir(
              ids.apply(make.parent()), make.name(), make.mode(), make.uid(), make.gid());
      case FsOp.MakeSymlink make ->
          new FsOp.MakeSymlink(
              ids.apply(make.parent()), make.name(), make.target(), make.uid(), make.gid());
      case FsOp.MakeNode make ->
          new FsOp.MakeNode(
              ids.apply(make.parent()),
              make.name(),
              make.type(),
              make.mode(),
              make.uid(),
              make.gid(),
              make.rdev());
      case FsOp.MakeTemporary make ->
          new FsOp.MakeTemporary(ids.apply(make.parent()), make.mode(), make.uid(), make.gid());
      case FsOp.Link link ->
          new FsOp.Link(ids.apply(link.node()), ids.apply(link.newParent()), link.newName());
      case FsOp.LinkTemporary link ->
          new FsOp.LinkTemporary(
              ids.apply(link.node()), ids.apply(link.newParent()), link.newName());
      case FsOp.Unlink unlink -> new FsOp.Unlink(ids.apply(unlink.parent()), unlink.name());
      case FsOp.RemoveDir remove -> new FsOp.RemoveDir(ids.apply(remove.parent()), remove.name());
      case FsOp.Rename rename ->
          new FsOp.Rename(
              ids.apply(rename.parent()),
              rename.name(),
              ids.apply(rename.newParent()),
              rename.newName(),
              rename.mode());
      case FsOp.Write write ->
          new FsOp.Write(
              ids.apply(write.node()),
              write.mode(),
              write.offset(),
              write.chunks(),
              write.killPrivileges());
      case FsOp.Truncate truncate ->
          new FsOp.Truncate(ids.apply(truncate.node()), truncate.size(), truncate.killPrivileges());
      case FsOp.Allocate allocate ->
          new FsOp.Allocate(
              ids.apply(allocate.node()),
              allocate.mode(),
              allocate.offset(),
              allocate.length(),
              allocate.killPrivileges());
      case FsOp.CopyRange copy ->
          new FsOp.CopyRange(
              ids.apply(copy.source()),
              copy.sourceOffset(),
              ids.apply(copy.target()),
              copy.targetOffset(),
              copy.length(),
              copy.killPrivileges());
      case FsOp.SetAttributes set ->
          new FsOp.SetAttributes(
              ids.apply(set.node()), set.mask(), set.mode(), set.uid(), set.gid(), set.mtimeNs());
      case FsOp.SetXattr set ->
          new FsOp.SetXattr(ids.apply(set.node()), set.name(), set.value(), set.mode());
      case FsOp.RemoveXattr remove -> new FsOp.RemoveXattr(ids.apply(remove.node()), remove.name());
      case FsOp.ReapOrphans reap -> new FsOp.ReapOrphans(reap.nodes().stream().map(ids).toList());
      case FsOp.RestoreState restore ->
          new FsOp.RestoreState(restore.manifest(), restore.open().stream().map(ids).toList());
    };
  }
}
