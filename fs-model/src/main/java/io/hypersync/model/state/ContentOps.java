package io.hypersync.model.state;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.NodeType;
import io.hypersync.model.op.WriteMode;

/**
 * Applies ops that change the bytes of regular files. Orphans are allowed, because a process may
 * still have them open. Each op also clears privileges, as a filesystem with
 * FUSE_HANDLE_KILLPRIV_V2 must: file capabilities always, the set-id bits if the caller lacks
 * CAP_FSETID.
 */
final class ContentOps {
  private ContentOps() {}

  static FsState write(FsState state, FsOp.Write op, Stamp stamp) throws Rejected {
    Node node = file(state, op.node());
    long size = node.attributes().size();
    if (op.mode() == WriteMode.APPEND && op.offset() != size) {
      throw new Rejected(Errno.EINVAL); // not resolved, or resolved against another state
    }
    long end = op.offset() + op.length();
    if (end < 0) {
      throw new Rejected(Errno.EFBIG);
    }
    FileContent content = content(node).write(op.offset(), op.chunks());
    NodeAttributes attributes =
        node.attributes().withSize(Math.max(size, end)).modified(stamp.timeNs());
    return state.with(changed(node, content, attributes, op.killPrivileges()));
  }

  static FsState truncate(FsState state, FsOp.Truncate op, Stamp stamp) throws Rejected {
    Node node = file(state, op.node());
    FileContent content = content(node);
    if (op.size() < node.attributes().size()) {
      content = op.size() == 0 ? FileContent.EMPTY : content.clear(op.size(), Long.MAX_VALUE);
    }
    NodeAttributes attributes = node.attributes().withSize(op.size()).modified(stamp.timeNs());
    return state.with(changed(node, content, attributes, op.killPrivileges()));
  }

  static FsState allocate(FsState state, FsOp.Allocate op, Stamp stamp) throws Rejected {
    Node node = NamespaceOps.existing(state, op.node());
    if (node.type() != NodeType.FILE && node.type() != NodeType.DIRECTORY) {
      throw new Rejected(Errno.ENODEV);
    }
    FileContent content = content(file(state, op.node()));
    long end = op.offset() + op.length();
    if (end < 0) {
      throw new Rejected(Errno.EFBIG);
    }
    if (op.mode().clears()) {
      content = content.clear(op.offset(), end);
    }
    NodeAttributes attributes = node.attributes().modified(stamp.timeNs());
    if (op.mode().mayExtend()) {
      attributes = attributes.withSize(Math.max(attributes.size(), end));
    }
    return state.with(changed(node, content, attributes, op.killPrivileges()));
  }

  static Node changed(
      Node node, FileContent content, NodeAttributes attributes, boolean killPrivileges) {
    return AttributeOps.withoutCapability(node)
        .with(content)
        .with(killPrivileges ? attributes.withoutSetIds() : attributes);
  }

  static Node file(FsState state, NodeId id) throws Rejected {
    Node node = NamespaceOps.existing(state, id);
    if (node.type() == NodeType.DIRECTORY) {
      throw new Rejected(Errno.EISDIR);
    }
    if (node.type() != NodeType.FILE) {
      throw new Rejected(Errno.EINVAL);
    }
    return node;
  }

  static FileContent content(Node node) throws Rejected {
    if (node.content() instanceof FileContent content) {
      return content;
    }
    throw new Rejected(Errno.EINVAL);
  }
}
