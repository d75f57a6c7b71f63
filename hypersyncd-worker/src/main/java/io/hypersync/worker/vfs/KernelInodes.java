package io.hypersync.worker.vfs;

import io.hypersync.model.id.InodeNo;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The inodes that the kernel knows, by the number it calls them, with their lookup counts. An
 * InodeNo is never reused, so an answer from here is never about another node.
 *
 * <p>Threads: any. A count is raised before the reply which carries the entry is written, so a
 * FORGET for it cannot come earlier.
 */
public final class KernelInodes {
  private static final class Known {
    private final NodeId node;
    private final long lookups;

    Known(NodeId node, long lookups) {
      this.node = node;
      this.lookups = lookups;
    }
  }

  private final ConcurrentHashMap<Long, Known> inodes = new ConcurrentHashMap<>();

  /** The kernel knows the root from the start and never forgets it. */
  public KernelInodes() {
    inodes.put(InodeNo.ROOT.value(), new Known(FsState.ROOT, 1));
  }

  /** The node that the kernel means, or null if it has never heard of it. */
  public @Nullable NodeId node(long inode) {
    Known known = inodes.get(inode);
    return known == null ? null : known.node;
  }

  /** Whether the kernel may have something cached of this inode. */
  public boolean isKnown(long inode) {
    return inodes.containsKey(inode);
  }

  /** An entry for the node is about to be sent. */
  public void lookedUp(Node node) {
    inodes.compute(
        node.inode().value(),
        (_, known) -> new Known(node.id(), known == null ? 1 : known.lookups + 1));
  }

  /** The kernel takes lookups back; one it never made changes nothing. */
  public void forget(long inode, long lookups) {
    if (inode == InodeNo.ROOT.value()) {
      return;
    }
    inodes.computeIfPresent(
        inode,
        (_, known) ->
            Long.compareUnsigned(known.lookups, lookups) <= 0
                ? null
                : new Known(known.node, known.lookups - lookups));
  }

  /** How many inodes the kernel knows. */
  public int size() {
    return inodes.size();
  }
}
