package io.hypersync.model.state;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.NodeType;
import io.hypersync.model.op.WriteMode;
import org.jspecify.annotations.Nullable;

/**
 * The state machine: a pure function from a state and an op to the next state or an errno
 * (hypersync.md 5.2). The leader uses it to decide, the workers to follow; equal inputs give equal
 * roots everywhere.
 */
public final class FsStateMachine {
  /**
   * Maximum depth of a directory into which a rename may move a directory with subdirectories from
   * another directory; an exchange moves both ways. Applying such a rename walks over all
   * ancestors, to make sure that no directory becomes its own descendant. A path cannot have more
   * than 2,048 names.
   */
  public static final int MAX_MOVE_DEPTH = 4_096;

  private FsStateMachine() {}

  /**
   * Fills in what only the leader may choose: the offset of an append (hypersync.md 22.1(7)), and
   * the length of a copy. Any other op, and one that is going to fail, is returned unchanged.
   */
  public static FsOp resolve(FsState state, FsOp op) {
    if (op instanceof FsOp.Write write && write.mode() == WriteMode.APPEND) {
      Node node = state.node(write.node());
      if (node != null && node.type() == NodeType.FILE) {
        return new FsOp.Write(
            write.node(),
            WriteMode.APPEND,
            node.attributes().size(),
            write.chunks(),
            write.killPrivileges());
      }
    }
    return op instanceof FsOp.CopyRange copy ? CopyOp.resolve(state, copy) : op;
  }

  /**
   * Whether the leader must refuse an op that could be applied, because its cost is out of
   * proportion. Replay does not call this, since an older leader may have committed such an op.
   *
   * @return ENAMETOOLONG for a rename that moves a directory with subdirectories into another
   *     directory that is more than {@link #MAX_MOVE_DEPTH} levels deep; null for any other op
   */
  public static @Nullable Errno refusal(FsState state, FsOp op) {
    boolean tooDeep =
        op instanceof FsOp.Rename rename && RenameOp.looksAtMore(state, rename, MAX_MOVE_DEPTH);
    return tooDeep ? Errno.ENAMETOOLONG : null;
  }

  /**
   * Applies a resolved op that is no {@link FsOp.RestoreState}: such a one fails with EINVAL.
   *
   * @return the next state, or the errno that a local filesystem would return
   * @throws IllegalArgumentException if the op creates a node and the stamp's node id exists
   *     already: ids are assigned only once
   */
  public static Outcome apply(FsState state, FsOp op, Stamp stamp) {
    return apply(state, op, stamp, RestoredStates.NONE);
  }

  /**
   * Applies a resolved op.
   *
   * @param restored reads the state that a {@link FsOp.RestoreState} names
   * @return the next state, or the errno that a local filesystem would return
   * @throws IllegalArgumentException if the op creates a node and the stamp's node id exists
   *     already: ids are assigned only once
   * @throws io.hypersync.model.trie.PageUnreadableException if a page that is needed cannot be read
   */
  public static Outcome apply(FsState state, FsOp op, Stamp stamp, RestoredStates restored) {
    try {
      return new Outcome.Applied(change(state, op, stamp, restored));
    } catch (Rejected e) {
      return new Outcome.Failed(e.errno);
    }
  }

  private static FsState change(FsState state, FsOp op, Stamp stamp, RestoredStates restored)
      throws Rejected {
    return switch (op) {
      case FsOp.CreateFile create -> NamespaceOps.createFile(state, create, stamp);
      case FsOp.MakeDir make -> NamespaceOps.makeDir(state, make, stamp);
      case FsOp.MakeSymlink make -> NamespaceOps.makeSymlink(state, make, stamp);
      case FsOp.MakeNode make -> NamespaceOps.makeNode(state, make, stamp);
      case FsOp.Link link -> NamespaceOps.link(state, link, stamp);
      case FsOp.Unlink unlink -> NamespaceOps.unlink(state, unlink, stamp);
      case FsOp.RemoveDir remove -> NamespaceOps.removeDir(state, remove, stamp);
      case FsOp.Rename rename -> RenameOp.rename(state, rename, stamp);
      case FsOp.Write write -> ContentOps.write(state, write, stamp);
      case FsOp.Truncate truncate -> ContentOps.truncate(state, truncate, stamp);
      case FsOp.SetAttributes set -> AttributeOps.setAttributes(state, set, stamp);
      case FsOp.SetXattr set -> AttributeOps.setXattr(state, set, stamp);
      case FsOp.RemoveXattr remove -> AttributeOps.removeXattr(state, remove, stamp);
      case FsOp.ReapOrphans reap -> reapOrphans(state, reap);
      case FsOp.Allocate allocate -> ContentOps.allocate(state, allocate, stamp);
      case FsOp.CopyRange copy -> CopyOp.copy(state, copy, stamp);
      case FsOp.MakeTemporary make -> TemporaryOps.make(state, make, stamp);
      case FsOp.LinkTemporary link -> TemporaryOps.link(state, link, stamp);
      case FsOp.RestoreState restore -> RestoreOp.restore(state, restore, stamp, restored);
    };
  }

  private static FsState reapOrphans(FsState state, FsOp.ReapOrphans reap) throws Rejected {
    FsState next = state;
    for (NodeId id : reap.nodes()) {
      Node node = next.node(id);
      if (node == null || !node.isOrphan()) {
        throw new Rejected(Errno.EINVAL);
      }
      next = next.without(node);
    }
    return next;
  }
}
