package io.hypersync.worker.vfs;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.NodeType;
import io.hypersync.model.op.RenameMode;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.worker.fuse.abi.FuseFlags;
import io.hypersync.worker.fuse.protocol.FuseOperation;
import io.hypersync.worker.fuse.protocol.RequestHeader;
import io.hypersync.worker.fuse.session.FuseReply;

/**
 * Answers requests that create, remove or rename names: each is one logged mutation (hypersync.md
 * 6.1).
 */
final class NamespaceRequests {
  private static final int PERMISSIONS = 07777;

  private final Nodes nodes;
  private final UnnamedFiles unnamed;
  private final Submitter submitter;

  NamespaceRequests(Nodes nodes, UnnamedFiles unnamed, Submitter submitter) {
    this.nodes = nodes;
    this.unnamed = unnamed;
    this.submitter = submitter;
  }

  void mkDir(RequestHeader header, FuseOperation.MkDir request, FuseReply reply)
      throws RequestFailed {
    NodeId parent = nodes.id(header.nodeId());
    Name name = Nodes.name(request.name());
    FsOp op =
        new FsOp.MakeDir(parent, name, request.mode() & PERMISSIONS, header.uid(), header.gid());
    submitter.submit(header, op, reply, (entry, state) -> created(entry, state, reply));
  }

  void mkNod(RequestHeader header, FuseOperation.MkNod request, FuseReply reply)
      throws RequestFailed {
    NodeId parent = nodes.id(header.nodeId());
    Name name = Nodes.name(request.name());
    NodeType type = NodeType.ofMode(request.mode());
    if (type == null || type == NodeType.DIRECTORY || type == NodeType.SYMLINK) {
      throw new RequestFailed(Errno.EINVAL);
    }
    int mode = request.mode() & PERMISSIONS;
    FsOp op =
        type == NodeType.FILE
            ? new FsOp.CreateFile(parent, name, mode, header.uid(), header.gid())
            : new FsOp.MakeNode(
                parent, name, type, mode, header.uid(), header.gid(), request.rdev());
    submitter.submit(header, op, reply, (entry, state) -> created(entry, state, reply));
  }

  void symlink(RequestHeader header, FuseOperation.Symlink request, FuseReply reply)
      throws RequestFailed {
    NodeId parent = nodes.id(header.nodeId());
    Name name = Nodes.name(request.name());
    if (request.target().length == 0) {
      throw new RequestFailed(Errno.ENOENT);
    }
    if (request.target().length > FsOp.MakeSymlink.MAX_TARGET_BYTES) {
      throw new RequestFailed(Errno.ENAMETOOLONG);
    }
    FsOp op = new FsOp.MakeSymlink(parent, name, request.target(), header.uid(), header.gid());
    submitter.submit(header, op, reply, (entry, state) -> created(entry, state, reply));
  }

  void link(RequestHeader header, FuseOperation.Link request, FuseReply reply)
      throws RequestFailed {
    NodeId node = nodes.id(request.target());
    NodeId parent = nodes.id(header.nodeId());
    Name name = Nodes.name(request.newName());
    boolean first = unnamed.contains(request.target());
    FsOp op =
        first ? new FsOp.LinkTemporary(node, parent, name) : new FsOp.Link(node, parent, name);
    submitter.submit(
        header,
        op,
        reply,
        (_, state) -> {
          if (first) {
            unnamed.remove(request.target());
          }
          answer(state.node(node), reply);
        });
  }

  void unlink(RequestHeader header, FuseOperation.Unlink request, FuseReply reply)
      throws RequestFailed {
    FsOp op = new FsOp.Unlink(nodes.id(header.nodeId()), Nodes.name(request.name()));
    submitter.submit(header, op, reply, (_, _) -> reply.ok());
  }

  void rmDir(RequestHeader header, FuseOperation.RmDir request, FuseReply reply)
      throws RequestFailed {
    FsOp op = new FsOp.RemoveDir(nodes.id(header.nodeId()), Nodes.name(request.name()));
    submitter.submit(header, op, reply, (_, _) -> reply.ok());
  }

  void rename(RequestHeader header, FuseOperation.Rename request, FuseReply reply)
      throws RequestFailed {
    RenameMode mode =
        switch (request.flags()) {
          case 0 -> RenameMode.REPLACE;
          case FuseFlags.Rename.NOREPLACE -> RenameMode.NO_REPLACE;
          case FuseFlags.Rename.EXCHANGE -> RenameMode.EXCHANGE;
          // A flag that exists and is not supported gets another errno than one that does not exist
          // (6.1.1).
          case FuseFlags.Rename.WHITEOUT, FuseFlags.Rename.WHITEOUT | FuseFlags.Rename.NOREPLACE ->
              throw new RequestFailed(Errno.ENOTSUP);
          default -> throw new RequestFailed(Errno.EINVAL);
        };
    FsOp op =
        new FsOp.Rename(
            nodes.id(header.nodeId()),
            Nodes.name(request.name()),
            nodes.id(request.newParent()),
            Nodes.name(request.newName()),
            mode);
    submitter.submit(header, op, reply, (_, _) -> reply.ok());
  }

  private void created(LogEntry entry, FsState state, FuseReply reply) {
    answer(state.node(entry.createdNode()), reply);
  }

  private void answer(@org.jspecify.annotations.Nullable Node node, FuseReply reply) {
    if (node == null) {
      reply.error(Errno.EIO);
    } else {
      reply.entry(nodes.made(node));
    }
  }
}
