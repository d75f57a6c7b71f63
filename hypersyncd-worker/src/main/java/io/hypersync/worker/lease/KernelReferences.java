package io.hypersync.worker.lease;

import io.hypersync.model.id.InodeNo;
import io.hypersync.model.id.NodeId;
import java.util.function.Consumer;

/**
 * The nodes that this host's kernel still uses: by open handles, or by inodes that it holds.
 * Thread-safe.
 */
public interface KernelReferences {
  /** Whether this node has an open handle. */
  boolean isOpen(NodeId node);

  /** Passes every node with an open handle to {@code receiver}. */
  void openNodes(Consumer<NodeId> receiver);

  /**
   * Passes to {@code receiver} each node whose first handle was opened or whose last one was closed
   * since the last call. A receiver that asks {@link #isOpen} when it is called, or later, misses
   * no change.
   */
  void drainChanged(Consumer<NodeId> receiver);

  /**
   * Whether the kernel holds this inode: a path, a working directory or a memory map may lead to
   * it.
   */
  boolean isKnown(InodeNo inode);
}
