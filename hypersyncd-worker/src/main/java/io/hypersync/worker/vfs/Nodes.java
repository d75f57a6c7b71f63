package io.hypersync.worker.vfs;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.worker.fuse.protocol.FuseEntry;
import io.hypersync.worker.replica.Published;
import java.util.function.Supplier;

/** From the kernel's numbers and bytes to nodes of S_a, and back. Threads: any. */
final class Nodes {
  private final Supplier<Published> published;
  private final KernelInodes inodes;

  Nodes(Supplier<Published> published, KernelInodes inodes) {
    this.published = published;
    this.inodes = inodes;
  }

  FsState state() {
    return published.get().state();
  }

  /** The node id for a kernel number: ESTALE for one it cannot have from us. */
  NodeId id(long inode) throws RequestFailed {
    NodeId id = inodes.node(inode);
    if (id == null) {
      throw new RequestFailed(Errno.ESTALE);
    }
    return id;
  }

  /** The node in S_a: ESTALE if it has been reaped. */
  Node node(FsState state, long inode) throws RequestFailed {
    Node node = state.node(id(inode));
    if (node == null) {
      throw new RequestFailed(Errno.ESTALE);
    }
    return node;
  }

  /** A name from the kernel: ENAMETOOLONG over 255 bytes, EINVAL for what names nothing. */
  static Name name(byte[] bytes) throws RequestFailed {
    if (bytes.length > Name.MAX_BYTES) {
      throw new RequestFailed(Errno.ENAMETOOLONG);
    }
    if (!Name.isWellFormed(bytes)) {
      throw new RequestFailed(Errno.EINVAL);
    }
    return Name.of(bytes);
  }

  /** See {@link KernelInodes#reading}: the state that is read from must be taken afterwards. */
  void reading(long inode) {
    inodes.reading(inode);
  }

  /** The entry for a reply; from now on the kernel knows the node. */
  FuseEntry lookedUp(Node node) {
    inodes.lookedUp(node);
    return Attributes.entry(node);
  }
}
