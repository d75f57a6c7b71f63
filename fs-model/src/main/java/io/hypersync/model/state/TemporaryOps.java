package io.hypersync.model.state;

import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.NodeType;
import io.hypersync.model.trie.MerkleTrie;

/**
 * Applies the ops for O_TMPFILE: creating a file without a name, and giving it its first one. Until
 * then no directory changes.
 */
final class TemporaryOps {
  private TemporaryOps() {}

  static FsState make(FsState state, FsOp.MakeTemporary op, Stamp stamp) throws Rejected {
    NodeAttributes parent = NamespaceOps.liveDirectory(state, op.parent()).attributes();
    boolean inherits = (parent.mode() & NodeAttributes.SET_GROUP_ID) != 0;
    long time = stamp.timeNs();
    return state.withNew(
        new Node(
            stamp.newNode(),
            state.nextInode(),
            NodeType.FILE,
            new NodeAttributes(
                op.mode(), op.uid(), inherits ? parent.gid() : op.gid(), 0, 0, time, time, time, 0),
            FileContent.EMPTY,
            MerkleTrie.empty()));
  }

  static FsState link(FsState state, FsOp.LinkTemporary op, Stamp stamp) throws Rejected {
    Node node = NamespaceOps.existing(state, op.node());
    Node parent = NamespaceOps.parentOfNewLink(state, node, op.newParent(), op.newName());
    return NamespaceOps.linked(state, node, parent, op.newName(), stamp);
  }
}
