package io.hypersync.worker.vfs;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.Name;
import io.hypersync.model.op.NodeType;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.model.state.NodeContent;
import io.hypersync.worker.coherence.View;
import io.hypersync.worker.fuse.protocol.FuseOperation;
import io.hypersync.worker.fuse.protocol.FuseStatFs;
import io.hypersync.worker.fuse.protocol.FuseStatx;
import io.hypersync.worker.fuse.protocol.RequestHeader;
import io.hypersync.worker.fuse.session.FuseReply;

/** Answers lookup, stat, readlink and statfs from S_v. */
final class ReadRequests {
  private static final int BLOCK = 4096;
  private static final long FREE_INODES = 1L << 32;
  private static final int STATX_BASIC_STATS = 0x7ff;
  private static final int STATX_BTIME = 0x800;

  private final Nodes nodes;
  private final Space space;
  private final PathRewalks pathRewalks;

  ReadRequests(Nodes nodes, Space space, PathRewalks pathRewalks) {
    this.nodes = nodes;
    this.space = space;
    this.pathRewalks = pathRewalks;
  }

  void lookup(RequestHeader header, FuseOperation.Lookup lookup, FuseReply reply)
      throws RequestFailed {
    View view = nodes.view();
    FsState state = view.state();
    Node directory = nodes.node(state, header.nodeId());
    if (directory.type() != NodeType.DIRECTORY) {
      throw new RequestFailed(Errno.ENOTDIR);
    }
    Name name = Nodes.name(lookup.name());
    Node node = state.lookup(directory, name);
    if (node != null) {
      pathRewalks.found(header.pid(), header.nodeId(), name);
      reply.entry(nodes.found(view, header.nodeId(), name, node));
      return;
    }
    pathRewalks.foundNothing(header.pid(), header.nodeId(), name);
    long absentNs = nodes.absentNs(view, directory, name);
    if (absentNs == 0) {
      throw new RequestFailed(Errno.ENOENT);
    }
    reply.negativeEntry(absentNs);
  }

  void getAttr(RequestHeader header, FuseReply reply) throws RequestFailed {
    long keepNs = nodes.keepAttributes(header.nodeId());
    View view = nodes.view();
    Node node = nodes.node(view.state(), header.nodeId());
    reply.attr(nodes.attr(node), view.keepsAttributes(header.nodeId()) ? keepNs : 0);
  }

  /**
   * Answers statx with everything that stat shows and the birth time, whatever the mask asked for.
   */
  void statx(RequestHeader header, FuseReply reply) throws RequestFailed {
    long keepNs = nodes.keepAttributes(header.nodeId());
    View view = nodes.view();
    Node node = nodes.node(view.state(), header.nodeId());
    FuseStatx statx =
        new FuseStatx(
            nodes.attr(node), STATX_BASIC_STATS | STATX_BTIME, 0, 0, node.attributes().btimeNs());
    reply.statx(statx, view.keepsAttributes(header.nodeId()) ? keepNs : 0);
  }

  void readLink(RequestHeader header, FuseReply reply) throws RequestFailed {
    Node node = nodes.node(nodes.state(), header.nodeId());
    if (!(node.content() instanceof NodeContent.Symlink(byte[] target))) {
      throw new RequestFailed(Errno.EINVAL);
    }
    reply.data(target);
  }

  void statFs(FuseReply reply) {
    FsState state = nodes.state();
    long used = (state.allocated() + BLOCK - 1) / BLOCK;
    long free = space.freeBytes() / BLOCK;
    long files = state.nodes().size();
    reply.statfs(
        new FuseStatFs(
            used + free,
            free,
            free,
            files + FREE_INODES,
            FREE_INODES,
            BLOCK,
            Name.MAX_BYTES,
            BLOCK));
  }
}
