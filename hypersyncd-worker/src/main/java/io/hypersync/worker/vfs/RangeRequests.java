package io.hypersync.worker.vfs;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.AllocateMode;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.state.FileContent;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.worker.fuse.protocol.FuseLockOwner;
import io.hypersync.worker.fuse.protocol.FuseOperation;
import io.hypersync.worker.fuse.protocol.RequestHeader;
import io.hypersync.worker.fuse.session.FuseReply;
import io.hypersync.worker.intents.Completion;

/**
 * Answers fallocate, copy_file_range and lseek to data and holes: calls on ranges of files that
 * carry no bytes.
 */
final class RangeRequests {
  private static final int KEEP_SIZE = 1;
  private static final int PUNCH_HOLE = 2;
  private static final int ZERO_RANGE = 16;
  private static final int SEEK_DATA = 3;
  private static final int SEEK_HOLE = 4;

  private final Nodes nodes;
  private final Submitter submitter;

  RangeRequests(Nodes nodes, Submitter submitter) {
    this.nodes = nodes;
    this.submitter = submitter;
  }

  /**
   * Answers fallocate. ENOTSUP for modes that shift bytes (collapse, insert) and for unknown modes;
   * EINVAL for a negative offset or a length that is not positive.
   */
  void allocate(RequestHeader header, FuseOperation.Fallocate request, FuseReply reply)
      throws RequestFailed {
    NodeId node = nodes.id(header.nodeId(), request.fh());
    AllocateMode mode =
        switch (request.mode()) {
          case 0 -> AllocateMode.EXTEND;
          case KEEP_SIZE -> AllocateMode.KEEP_SIZE;
          case PUNCH_HOLE | KEEP_SIZE -> AllocateMode.PUNCH_HOLE;
          case ZERO_RANGE -> AllocateMode.ZERO_RANGE;
          case ZERO_RANGE | KEEP_SIZE -> AllocateMode.ZERO_RANGE_KEEP_SIZE;
          default -> throw new RequestFailed(Errno.ENOTSUP);
        };
    if (request.offset() < 0 || request.length() <= 0) {
      throw new RequestFailed(Errno.EINVAL);
    }
    FsOp op =
        new FsOp.Allocate(node, mode, request.offset(), request.length(), losesSetIds(header));
    submitter.submit(
        header,
        new Descriptor(node, request.fh(), FuseLockOwner.NONE),
        op,
        Submitter.Payload.NONE,
        reply,
        (_, _) -> reply.ok());
  }

  /**
   * Answers copy_file_range with the number of bytes that the leader logged; 0 at and after the
   * source's end.
   */
  void copy(RequestHeader header, FuseOperation.CopyFileRange request, FuseReply reply)
      throws RequestFailed {
    Node source = nodes.node(nodes.state(), header.nodeId(), request.fh());
    NodeId target = nodes.id(request.targetNode(), request.targetFh());
    if (request.flags() != 0 || request.offset() < 0 || request.targetOffset() < 0) {
      throw new RequestFailed(Errno.EINVAL);
    }
    if (request.length() == 0 || request.offset() >= source.attributes().size()) {
      reply.copied(0);
      return;
    }
    // The kernel's length is unsigned, so a negative one is huge; one op copies MAX_BYTES at most.
    long length =
        request.length() < 0
            ? FsOp.CopyRange.MAX_BYTES
            : Math.min(request.length(), FsOp.CopyRange.MAX_BYTES);
    FsOp op =
        new FsOp.CopyRange(
            source.id(),
            request.offset(),
            target,
            request.targetOffset(),
            length,
            losesSetIds(header));
    submitter.submit(
        header,
        new Descriptor(target, request.targetFh(), FuseLockOwner.NONE),
        op,
        Submitter.Payload.NONE,
        reply,
        new Completion() {
          @Override
          public void committed(LogEntry entry, FsState state) {
            reply.copied(entry.op() instanceof FsOp.CopyRange done ? done.length() : length);
          }

          @Override
          public void failed(Errno errno) {
            if (errno == Errno.ENODATA) {
              reply.copied(0); // the source was truncated meanwhile
            } else {
              reply.error(errno);
            }
          }
        });
  }

  /**
   * Answers lseek with SEEK_DATA or SEEK_HOLE. The end of a file counts as a hole; SEEK_DATA after
   * the last data is ENXIO, as is any offset at or after the end.
   */
  void seek(RequestHeader header, FuseOperation.Lseek request, FuseReply reply)
      throws RequestFailed {
    Node node = nodes.node(nodes.state(), header.nodeId(), request.fh());
    if (!(node.content() instanceof FileContent content)) {
      throw new RequestFailed(Errno.EINVAL);
    }
    long offset = request.offset();
    long size = node.attributes().size();
    if (offset < 0 || offset >= size) {
      throw new RequestFailed(Errno.ENXIO);
    }
    long found =
        switch (request.whence()) {
          case SEEK_DATA -> content.nextData(offset);
          case SEEK_HOLE -> content.nextHole(offset);
          default -> throw new RequestFailed(Errno.EINVAL);
        };
    if (found < 0) {
      throw new RequestFailed(Errno.ENXIO);
    }
    reply.lseek(found);
  }

  /**
   * Whether the op clears the set-user-ID and set-group-ID bits. The kernel sends a flag for this
   * with a write, but not with these requests; root keeps them (CAP_FSETID).
   */
  private static boolean losesSetIds(RequestHeader caller) {
    return caller.uid() != 0;
  }
}
