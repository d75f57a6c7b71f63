package io.hypersync.leader.hazard;

import io.hypersync.model.hazard.Author;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.NodeType;
import io.hypersync.model.op.RenameMode;
import io.hypersync.model.state.Extent;
import io.hypersync.model.state.FileContent;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Tells which nodes an op touches, by the states before and after it. */
final class Touches {
  private Touches() {}

  /**
   * What the entry touches: at most two nodes, in the order in which the call names them.
   *
   * @param op as logged, so that the offset of an append is known
   */
  static List<Touch> of(FsOp op, long index, Author author, FsState before, FsState after) {
    return switch (op) {
      case FsOp.Write write ->
          changed(
              write.node(),
              index,
              author,
              write.offset(),
              write.length(),
              written(write),
              before,
              after);
      case FsOp.Truncate cut -> {
        Node old = before.node(cut.node());
        long size = old == null ? 0 : old.attributes().size();
        long from = Math.min(size, cut.size());
        yield changed(
            cut.node(),
            index,
            author,
            from,
            Math.max(size, cut.size()) - from,
            Touch.NOTHING_WRITTEN,
            before,
            after);
      }
      case FsOp.Allocate clear ->
          clear.mode().clears()
              ? changed(
                  clear.node(),
                  index,
                  author,
                  clear.offset(),
                  clear.length(),
                  Touch.NOTHING_WRITTEN,
                  before,
                  after)
              : List.of();
      case FsOp.CopyRange copy ->
          changed(
              copy.target(),
              index,
              author,
              copy.targetOffset(),
              copy.length(),
              index, // other bytes than any that were written before
              before,
              after);
      case FsOp.Rename rename -> renamed(rename, index, author, before);
      case FsOp.Unlink unlink -> {
        Node node = at(before, unlink.parent(), unlink.name());
        yield node == null
            ? List.of()
            : List.of(Touch.name(node.id(), index, author, Touch.What.UNLINK));
      }
      // Those make nodes or names that nobody has used before, or change no content.
      case FsOp.CreateFile _,
          FsOp.MakeDir _,
          FsOp.MakeSymlink _,
          FsOp.MakeNode _,
          FsOp.MakeTemporary _,
          FsOp.Link _,
          FsOp.LinkTemporary _,
          FsOp.RemoveDir _,
          FsOp.SetAttributes _,
          FsOp.SetXattr _,
          FsOp.RemoveXattr _,
          FsOp.ReapOrphans _,
          FsOp.RestoreState _ ->
          List.of();
    };
  }

  /** Nothing is touched if the same bytes are there as before. */
  private static List<Touch> changed(
      NodeId id,
      long index,
      Author author,
      long from,
      long bytes,
      long written,
      FsState before,
      FsState after) {
    Node old = before.node(id);
    Node now = after.node(id);
    if (old == null || now == null || bytes == 0 || isSame(old, now, from, from + bytes)) {
      return List.of();
    }
    return List.of(Touch.content(id, index, author, from, from + bytes, written));
  }

  /** Stands for the bytes that are written. */
  private static long written(FsOp.Write write) {
    long mixed = 1;
    for (ChunkRef chunk : write.chunks()) {
      mixed = mixed * 31 + chunk.hash().w0();
    }
    return mixed == Touch.NOTHING_WRITTEN ? 1 : mixed;
  }

  /**
   * Whether a range has the same bytes, in the same chunks. The roots say so, too, but a replay
   * does not compute the root of each entry.
   */
  private static boolean isSame(Node old, Node now, long from, long end) {
    if (old.attributes().size() != now.attributes().size()
        || !(old.content() instanceof FileContent before)
        || !(now.content() instanceof FileContent after)) {
      return false;
    }
    Iterator<Extent> one = before.from(from);
    Iterator<Extent> other = after.from(from);
    while (true) {
      Extent left = next(one, end);
      Extent right = next(other, end);
      if (left == null || right == null) {
        return left == null && right == null;
      }
      if (left.offset() != right.offset()
          || left.length() != right.length()
          || left.chunkOffset() != right.chunkOffset()
          || !left.chunk().equals(right.chunk())) {
        return false;
      }
    }
  }

  private static @Nullable Extent next(Iterator<Extent> extents, long end) {
    Extent next = extents.hasNext() ? extents.next() : null;
    return next == null || next.offset() >= end ? null : next;
  }

  private static List<Touch> renamed(
      FsOp.Rename rename, long index, Author author, FsState before) {
    Node moved = at(before, rename.parent(), rename.name());
    Node there = at(before, rename.newParent(), rename.newName());
    if (moved == null) {
      return List.of();
    }
    Touch move = Touch.name(moved.id(), index, author, Touch.What.RENAME);
    if (there == null || there.id().equals(moved.id())) {
      return List.of(move);
    }
    Touch.What replaced =
        rename.mode() == RenameMode.EXCHANGE ? Touch.What.RENAME : Touch.What.REPLACE;
    return List.of(move, Touch.name(there.id(), index, author, replaced));
  }

  /** The node of this name; null if there is none. */
  static @Nullable Node at(FsState state, NodeId parent, Name name) {
    Node directory = state.node(parent);
    return directory == null || directory.type() != NodeType.DIRECTORY
        ? null
        : state.lookup(directory, name);
  }
}
