package io.hypersync.model.state;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.FsOp.SetAttributes;
import io.hypersync.model.op.NodeType;
import io.hypersync.model.op.XattrMode;
import io.hypersync.model.trie.TrieKey;
import java.nio.charset.StandardCharsets;

/** Applies chmod, chown, utimensat and ops on extended attributes. */
final class AttributeOps {
  private static final TrieKey CAPABILITY =
      TrieKey.of("security.capability".getBytes(StandardCharsets.US_ASCII));

  private AttributeOps() {}

  static FsState setAttributes(FsState state, SetAttributes op, Stamp stamp) throws Rejected {
    Node node = NamespaceOps.existing(state, op.node());
    int mask = op.mask();
    boolean chown = (mask & (SetAttributes.UID | SetAttributes.GID)) != 0;
    boolean kill = chown || (mask & SetAttributes.KILL_PRIVILEGES) != 0;
    if (kill && node.type() != NodeType.DIRECTORY) {
      node = withoutCapability(node).with(node.attributes().withoutSetIds());
    }
    NodeAttributes attributes = node.attributes();
    if (chown) {
      attributes =
          attributes.withOwner(
              (mask & SetAttributes.UID) != 0 ? op.uid() : attributes.uid(),
              (mask & SetAttributes.GID) != 0 ? op.gid() : attributes.gid());
    }
    if ((mask & SetAttributes.MODE) != 0) {
      attributes = attributes.withMode(op.mode());
    }
    if ((mask & SetAttributes.MTIME_NOW) != 0) {
      attributes = attributes.withMtime(stamp.timeNs());
    } else if ((mask & SetAttributes.MTIME) != 0) {
      attributes = attributes.withMtime(op.mtimeNs());
    }
    return state.with(node.with(attributes.changed(stamp.timeNs())));
  }

  static FsState setXattr(FsState state, FsOp.SetXattr op, Stamp stamp) throws Rejected {
    Node node = NamespaceOps.existing(state, op.node());
    boolean present = node.xattrs().get(TrieKey.of(op.name())) != null;
    if (present && op.mode() == XattrMode.CREATE) {
      throw new Rejected(Errno.EEXIST);
    }
    if (!present && op.mode() == XattrMode.REPLACE) {
      throw new Rejected(Errno.ENODATA);
    }
    Node changed = node.with(node.xattrs().with(new Xattr(op.name(), op.value())));
    long total = 0;
    for (Xattr xattr : changed.xattrs()) {
      total += xattr.name().length + xattr.value().length();
    }
    if (total > FsOp.SetXattr.MAX_TOTAL_BYTES) {
      throw new Rejected(Errno.ENOSPC);
    }
    return state.with(changed.with(node.attributes().changed(stamp.timeNs())));
  }

  static FsState removeXattr(FsState state, FsOp.RemoveXattr op, Stamp stamp) throws Rejected {
    Node node = NamespaceOps.existing(state, op.node());
    TrieKey name = TrieKey.of(op.name());
    if (node.xattrs().get(name) == null) {
      throw new Rejected(Errno.ENODATA);
    }
    return state.with(
        node.with(node.xattrs().without(name)).with(node.attributes().changed(stamp.timeNs())));
  }

  /**
   * The node without file capabilities, which every chown and every change of the content removes.
   */
  static Node withoutCapability(Node node) {
    return node.xattrs().isEmpty() ? node : node.with(node.xattrs().without(CAPABILITY));
  }
}
