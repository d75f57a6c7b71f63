package io.hypersync.worker.vfs;

import io.hypersync.model.id.NodeId;
import io.hypersync.model.state.DirEntry;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.model.state.NodeContent;
import io.hypersync.model.trie.MerkleTrie;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An open directory. Its rows are pinned when it is read from the start, so they are consistent
 * whatever is applied meanwhile; rewinding pins them again. The cookie of a row is its number; "."
 * is 1, ".." is 2.
 *
 * <p>A handle that reads the kernel's cached listing may ask for a part of it that the kernel has
 * lost: it gets those rows of the listing that the kernel cached, not of a newer one.
 */
final class OpenDirectory implements OpenHandles.OpenHandle {
  private final NodeId node;
  private final @Nullable CachedListing used;
  private List<DirEntry> rows = List.of();
  private boolean pinned;

  /**
   * Creates the state of a newly opened directory.
   *
   * @param used the kernel's cached listing, or null if this handle does not use it
   */
  OpenDirectory(NodeId node, @Nullable CachedListing used) {
    this.node = node;
    this.used = used;
  }

  @Override
  public NodeId node() {
    return node;
  }

  @Override
  public void closed() {
    if (used != null) {
      used.closed();
    }
  }

  /** The rows after "." and "..", in bytewise order (hypersync.md 5.2.1). */
  synchronized List<DirEntry> rows(FsState state, boolean fromStart) {
    if (fromStart || !pinned) {
      MerkleTrie<DirEntry> entries = entries(state, fromStart);
      List<DirEntry> fresh = new ArrayList<>();
      if (entries != null) {
        entries.forEach(fresh::add);
      }
      rows = fresh;
      pinned = true; // not before: a page that cannot be read ends this
    }
    return rows;
  }

  /** The kernel's cached listing, or null if this handle does not use it. */
  @Nullable CachedListing used() {
    return used;
  }

  private @Nullable MerkleTrie<DirEntry> entries(FsState state, boolean fromStart) {
    MerkleTrie<DirEntry> copied = used == null || fromStart ? null : used.rows();
    if (copied != null) {
      return copied;
    }
    Node directory = state.node(node);
    if (directory == null || !(directory.content() instanceof NodeContent.Directory content)) {
      return null;
    }
    if (used != null && fromStart) {
      used.pinned(content.entries());
    }
    return content.entries();
  }
}
