package io.hypersync.worker.coherence;

import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import org.jspecify.annotations.Nullable;

/**
 * Pages of a file as the kernel may have them cached.
 *
 * @param inode the file's inode number
 * @param offset the first byte
 * @param length bytes; 0 for all from {@code offset} on
 */
public record PageRange(long inode, long offset, long length) {
  /** All pages of a file. */
  static PageRange all(long inode) {
    return new PageRange(inode, 0, 0);
  }

  /** The pages whose bytes an op changes, or null. */
  static @Nullable PageRange changedBy(FsOp op, FsState after) {
    return switch (op) {
      case FsOp.Write write -> of(after, write.node(), write.offset(), write.length());
      case FsOp.Truncate truncate -> of(after, truncate.node(), 0, 0);
      case FsOp.Allocate allocate ->
          of(after, allocate.node(), allocate.offset(), allocate.length());
      case FsOp.CopyRange copy -> of(after, copy.target(), copy.targetOffset(), copy.length());
      case FsOp.CreateFile _,
          FsOp.MakeDir _,
          FsOp.MakeSymlink _,
          FsOp.MakeNode _,
          FsOp.MakeTemporary _,
          FsOp.Link _,
          FsOp.LinkTemporary _,
          FsOp.Unlink _,
          FsOp.RemoveDir _,
          FsOp.Rename _,
          FsOp.SetAttributes _,
          FsOp.SetXattr _,
          FsOp.RemoveXattr _,
          FsOp.ReapOrphans _ ->
          null;
    };
  }

  private static @Nullable PageRange of(FsState state, NodeId id, long offset, long length) {
    Node node = state.node(id);
    return node == null ? null : new PageRange(node.inode().value(), offset, length);
  }
}
