package io.hypersync.model.state;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.op.FsOp.CopyRange;

/** Applies copy_file_range: the target gets the source's extents; no bytes are copied. */
final class CopyOp {
  private CopyOp() {}

  /**
   * Truncates the length at the source's end of file and at {@link CopyRange#MAX_EXTENTS} extents,
   * so that neither the size of a log entry nor the leader's time for one op depends on what a
   * caller asks for. An op that starts at or past the end of file, or whose source is not a file,
   * is returned unchanged; {@link #copy} rejects it.
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

  /**
   * Applies the copy. ENODATA means that the range starts at or past the source's end of file; the
   * caller of the syscall gets 0 bytes copied.
   */
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
      throw new Rejected(Errno.EINVAL); // not resolved, or resolved against another state
    }
    long end = to + op.length();
    if (end < 0) {
      throw new Rejected(Errno.EFBIG);
    }
    if (op.source().equals(op.target()) && Math.abs(from - to) < op.length()) {
      throw new Rejected(Errno.EINVAL); // as on Linux: overlapping ranges are refused
    }
    FileContent content =
        ContentOps.content(target).copy(ContentOps.content(source), from, to, op.length());
    NodeAttributes before = target.attributes();
    NodeAttributes attributes =
        before.withSize(Math.max(before.size(), end)).modified(stamp.timeNs());
    return state.with(ContentOps.changed(target, content, attributes, op.killPrivileges()));
  }
}
