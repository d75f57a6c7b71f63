package io.hypersync.worker.lease;

import io.hypersync.model.id.NodeId;
import java.util.function.Consumer;

/** What the kernel of this machine still needs. Threads: any. */
public interface KernelInterest {
  /** Whether a handle of this node is open. */
  boolean isOpen(NodeId node);

  /** All nodes with an open handle. */
  void openNodes(Consumer<NodeId> receiver);

  /**
   * The nodes of which the first handle was opened or the last one closed since the last call.
   * Whoever asks {@link #isOpen} from within the receiver, or later, misses no change.
   */
  void drainChanged(Consumer<NodeId> receiver);

  /**
   * Whether the kernel knows this inode: a path, a working directory or a memory map may lead
   * there.
   */
  boolean isKnown(long inode);
}
