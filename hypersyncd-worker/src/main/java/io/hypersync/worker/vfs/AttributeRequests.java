package io.hypersync.worker.vfs;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.InodeNo;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.FsOp.SetAttributes;
import io.hypersync.model.op.XattrMode;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.model.state.Xattr;
import io.hypersync.model.trie.TrieKey;
import io.hypersync.worker.fuse.abi.FuseFlags.SetAttrValid;
import io.hypersync.worker.fuse.protocol.FileHandle;
import io.hypersync.worker.fuse.protocol.FuseLockOwner;
import io.hypersync.worker.fuse.protocol.FuseOperation;
import io.hypersync.worker.fuse.protocol.RequestHeader;
import io.hypersync.worker.fuse.session.FuseReply;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** chmod, chown, truncate, utimensat and extended attributes (hypersync.md 6.1). */
final class AttributeRequests {
  private static final int PERMISSIONS = 07777;
  private static final int XATTR_CREATE = 1;
  private static final int XATTR_REPLACE = 2;
  private static final List<byte[]> NAMESPACES =
      List.of(ascii("user."), ascii("trusted."), ascii("security."));

  private final Nodes nodes;
  private final AtimeOverrides times;
  private final FileReader reader;
  private final RepairedReads repaired;
  private final Submitter submitter;

  AttributeRequests(
      Nodes nodes,
      AtimeOverrides times,
      FileReader reader,
      RepairedReads repaired,
      Submitter submitter) {
    this.nodes = nodes;
    this.times = times;
    this.reader = reader;
    this.repaired = repaired;
    this.submitter = submitter;
  }

  /**
   * Answers SETATTR. A size is one op (Truncate); everything else is a second op, submitted after
   * the first has committed. EFBIG for a negative size.
   */
  void setAttr(RequestHeader header, FuseOperation.SetAttr request, FuseReply reply)
      throws RequestFailed {
    NodeId node =
        request.has(SetAttrValid.FH)
            ? nodes.id(header.nodeId(), request.fhBits())
            : nodes.id(header.nodeId());
    if (!request.has(SetAttrValid.SIZE)) {
      setOthers(header, node, request, reply);
      return;
    }
    if (request.sizeBits() < 0) {
      throw new RequestFailed(Errno.EFBIG);
    }
    boolean kill = request.has(SetAttrValid.KILL_SUIDGID);
    submitter.submit(
        header,
        through(node, request),
        new FsOp.Truncate(node, request.sizeBits(), kill),
        Submitter.Payload.NONE,
        reply,
        (_, state) -> {
          if (mask(request) == 0) {
            answer(state, node, reply);
            return;
          }
          try {
            setOthers(header.uninterruptible(), node, request, reply);
          } catch (RequestFailed e) {
            reply.error(e.errno());
          }
        });
  }

  /**
   * What ftruncate was called with. With truncate, which names a path, the kernel says the process
   * as well, but it is not fenced: the call has nothing to do with a descriptor that holds a lock.
   */
  private static Descriptor through(NodeId node, FuseOperation.SetAttr request) {
    if (!request.has(SetAttrValid.FH)) {
      return new Descriptor(node, FileHandle.NONE, FuseLockOwner.NONE);
    }
    boolean isOwned = request.has(SetAttrValid.LOCKOWNER);
    return new Descriptor(
        node, request.fhBits(), isOwned ? request.lockOwner() : FuseLockOwner.NONE);
  }

  void getXattr(RequestHeader header, FuseOperation.GetXattr request, FuseReply reply)
      throws RequestFailed {
    requireXattrName(request.name());
    getXattr(header, request, reply, () -> getXattr(header, request, reply, null));
  }

  /**
   * Answers from the visible state.
   *
   * @param newer does so once more, if the value was overwritten since and is gone everywhere
   */
  private void getXattr(
      RequestHeader header,
      FuseOperation.GetXattr request,
      FuseReply reply,
      RepairedReads.@Nullable Newer newer)
      throws RequestFailed {
    Node node = nodes.node(nodes.state(), header.nodeId());
    Xattr xattr = node.xattrs().get(TrieKey.of(request.name()));
    if (xattr == null) {
      throw new RequestFailed(Errno.ENODATA);
    }
    int length = xattr.value().length();
    if (request.size() == 0) {
      reply.xattrSize(length);
      return;
    }
    if (length > request.size()) {
      throw new RequestFailed(Errno.ERANGE);
    }
    repaired.answer(
        reply, () -> reply.data(length == 0 ? new byte[0] : reader.chunk(xattr.value())), newer);
  }

  void listXattr(RequestHeader header, FuseOperation.ListXattr request, FuseReply reply)
      throws RequestFailed {
    Node node = nodes.node(nodes.state(), header.nodeId());
    ByteArrayOutputStream names = new ByteArrayOutputStream();
    for (Xattr xattr : node.xattrs()) {
      names.writeBytes(xattr.name());
      names.write(0);
    }
    if (request.size() == 0) {
      reply.xattrSize(names.size());
    } else if (names.size() > request.size()) {
      throw new RequestFailed(Errno.ERANGE);
    } else {
      reply.data(names.toByteArray());
    }
  }

  void setXattr(RequestHeader header, FuseOperation.SetXattr request, FuseReply reply)
      throws RequestFailed {
    NodeId node = nodes.id(header.nodeId());
    requireXattrName(request.name());
    byte[] value = request.value();
    if (value.length > FsOp.SetXattr.MAX_VALUE_BYTES) {
      throw new RequestFailed(Errno.E2BIG);
    }
    XattrMode mode =
        switch (request.flags()) {
          case 0 -> XattrMode.SET;
          case XATTR_CREATE -> XattrMode.CREATE;
          case XATTR_REPLACE -> XattrMode.REPLACE;
          default -> throw new RequestFailed(Errno.EINVAL);
        };
    Submitter.Payload payload = submitter.value(value);
    ChunkRef ref = value.length == 0 ? ChunkRef.EMPTY : payload.refs().getFirst();
    FsOp op = new FsOp.SetXattr(node, request.name(), ref, mode);
    submitter.submit(header, op, payload, reply, (_, _) -> reply.ok());
  }

  void removeXattr(RequestHeader header, FuseOperation.RemoveXattr request, FuseReply reply)
      throws RequestFailed {
    NodeId node = nodes.id(header.nodeId());
    requireXattrName(request.name());
    FsOp op = new FsOp.RemoveXattr(node, request.name());
    submitter.submit(header, op, reply, (_, _) -> reply.ok());
  }

  private void setOthers(
      RequestHeader header, NodeId node, FuseOperation.SetAttr request, FuseReply reply)
      throws RequestFailed {
    FsOp op =
        new SetAttributes(
            node,
            mask(request),
            request.modeBits() & PERMISSIONS,
            request.uidBits(),
            request.gidBits(),
            request.mtimeNs());
    submitter.submit(
        header,
        op,
        reply,
        (_, state) -> {
          setAccessTime(header.nodeId(), request);
          answer(state, node, reply);
        });
  }

  /**
   * Sets the access time on this mount only. For UTIME_NOW the kernel has put its own time into the
   * request.
   */
  private void setAccessTime(InodeNo inode, FuseOperation.SetAttr request) {
    if (request.has(SetAttrValid.ATIME_NOW) && request.has(SetAttrValid.MTIME_NOW)) {
      times.remove(inode); // atime is then the commit time, as mtime is
    } else if (request.has(SetAttrValid.ATIME)) {
      times.set(inode, request.atimeNs());
    }
  }

  private static int mask(FuseOperation.SetAttr request) {
    int mask = 0;
    if (request.has(SetAttrValid.MODE)) {
      mask |= SetAttributes.MODE;
    }
    if (request.has(SetAttrValid.UID)) {
      mask |= SetAttributes.UID;
    }
    if (request.has(SetAttrValid.GID)) {
      mask |= SetAttributes.GID;
    }
    if (request.has(SetAttrValid.MTIME_NOW)) {
      mask |= SetAttributes.MTIME_NOW;
    } else if (request.has(SetAttrValid.MTIME)) {
      mask |= SetAttributes.MTIME;
    }
    if (request.has(SetAttrValid.KILL_SUIDGID) && !request.has(SetAttrValid.SIZE)) {
      mask |= SetAttributes.KILL_PRIVILEGES;
    }
    return mask;
  }

  private void answer(FsState state, NodeId id, FuseReply reply) {
    Node node = state.node(id);
    if (node == null) {
      reply.error(Errno.ESTALE);
    } else {
      // The kernel takes these attributes over when the caller runs again, even if it has received
      // an invalidation meanwhile, so it must not cache them.
      reply.attr(nodes.attr(node), 0);
    }
  }

  private static void requireXattrName(byte[] name) throws RequestFailed {
    if (name.length > FsOp.SetXattr.MAX_NAME_BYTES) {
      throw new RequestFailed(Errno.ERANGE);
    }
    for (byte[] namespace : NAMESPACES) {
      if (name.length > namespace.length && startsWith(name, namespace)) {
        return;
      }
    }
    throw new RequestFailed(Errno.ENOTSUP);
  }

  private static boolean startsWith(byte[] name, byte[] prefix) {
    for (int i = 0; i < prefix.length; i++) {
      if (name[i] != prefix[i]) {
        return false;
      }
    }
    return true;
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
