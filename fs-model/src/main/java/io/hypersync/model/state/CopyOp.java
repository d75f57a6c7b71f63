package io.hypersync.model.state;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.op.FsOp.CopyRange;

/** copy_file_range: the target gets the source's extents, and no byte moves. */
final class CopyOp {
  private CopyOp() {}

  /**
   * Cuts the length at the source's end and at the most extents of one op, so that neither an entry
   * nor a turn of the leader grows with what a caller asks for. A copy from the end on has nothing
   * to cut and fails in {@link #copy}.
   */
  static CopyRange resolve(FsState state, CopyRange op) {
    Node source = state.node(op.source());
    if (source == null || !(source.content() instanceof FileContent content)) {
      return op;
    }
    long from = op.sourceOffset();
    long size = source.attributes().size();
    if (from >= size) {
      return op;
    }
    long end = from + Math.min(op.length(), size - from);
    long length = content.endOfExtents(from, end, CopyRange.MAX_EXTENTS) - from;
    return new CopyRange(
        op.source(), from, op.target(), op.targetOffset(), length, op.killPrivileges());
  }

  /** ENODATA says that the source ends before the range: to the caller, a copy of 0 bytes. */
  static FsState copy(FsState state, CopyRange op, Stamp stamp) throws Rejected {
    Node source = ContentOps.file(state, op.source());
    Node target = ContentOps.file(state, op.target());
    long from = op.sourceOffset();
    long to = op.targetOffset();
    long size = source.attributes().size();
    if (from >= size) {
      throw new Rejected(Errno.ENODATA);
    }
    if (op.length() > size - from) {
      throw new Rejected(Errno.EINVAL); // unresolved, or resolved on another state
    }
    long end = to + op.length();
    if (end < 0) {
      throw new Rejected(Errno.EFBIG);
    }
    if (op.source().equals(op.target()) && Math.abs(from - to) < op.length()) {
      throw new Rejected(Errno.EINVAL); // as Linux: what overlaps is not copied
    }
    FileContent content =
        ContentOps.content(target).copy(ContentOps.content(source), from, to, op.length());
    NodeAttributes before = target.attributes();
    NodeAttributes attributes =
        before.withSize(Math.max(before.size(), end)).modified(stamp.timeNs());
    return state.with(ContentOps.changed(target, content, attributes, op.killPrivileges()));
  }
}
