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

    /** Whether data of it was ever read, which the kernel may have kept. */
    private final boolean read;

    Known(NodeId node, long lookups, boolean read) {
      this.node = node;
      this.lookups = lookups;
      this.read = read;
    }
  }

  private final ConcurrentHashMap<Long, Known> inodes = new ConcurrentHashMap<>();

  /** The kernel knows the root from the start and never forgets it. */
  public KernelInodes() {
    inodes.put(InodeNo.ROOT.value(), new Known(FsState.ROOT, 1, false));
  }

  /** The node that the kernel means, or null if it has never heard of it. */
  public @Nullable NodeId node(long inode) {
    Known known = inodes.get(inode);
    return known == null ? null : known.node;
  }

  /** Whether the kernel may have pages of this inode in its cache. */
  public boolean mayHavePages(long inode) {
    Known known = inodes.get(inode);
    return known != null && known.read;
  }

  /**
   * Data of this inode is about to be read from S_a, which must be taken after this call: then
   * either the state read from is new enough, or whoever publishes a newer one afterwards sees the
   * mark.
   */
  public void reading(long inode) {
    Known known = inodes.get(inode);
    if (known != null && !known.read) {
      inodes.computeIfPresent(inode, (_, now) -> new Known(now.node, now.lookups, true));
    }
  }

  /** An entry for the node is about to be sent. */
  public void lookedUp(Node node) {
    inodes.compute(
        node.inode().value(),
        (_, known) ->
            known == null
                ? new Known(node.id(), 1, false)
                : new Known(node.id(), known.lookups + 1, known.read));
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
                : new Known(known.node, known.lookups - lookups, known.read));
  }

  /** How many inodes the kernel knows. */
  public int size() {
    return inodes.size();
  }
}
