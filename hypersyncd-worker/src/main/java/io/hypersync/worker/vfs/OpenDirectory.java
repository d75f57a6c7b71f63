package io.hypersync.worker.vfs;

import io.hypersync.model.id.NodeId;
import io.hypersync.model.state.DirEntry;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.model.state.NodeContent;
import java.util.ArrayList;
import java.util.List;

/**
 * An open directory. The listing is pinned when it is read from the start, so it is consistent
 * whatever is applied meanwhile; rewinding pins it anew. The cookie of a row is its number, "." is
 * 1, ".." is 2.
 */
final class OpenDirectory implements OpenHandles.OpenHandle {
  private final NodeId node;
  private List<DirEntry> rows = List.of();
  private boolean pinned;

  OpenDirectory(NodeId node) {
    this.node = node;
  }

  @Override
  public NodeId node() {
    return node;
  }

  /** The rows after "." and "..", in bytewise order (hypersync.md 5.2.1). */
  synchronized List<DirEntry> rows(FsState state, boolean fromStart) {
    if (fromStart || !pinned) {
      pinned = true;
      List<DirEntry> fresh = new ArrayList<>();
      Node directory = state.node(node);
      if (directory != null && directory.content() instanceof NodeContent.Directory content) {
        content.entries().forEach(fresh::add);
      }
      rows = fresh;
    }
    return rows;
  }
}
