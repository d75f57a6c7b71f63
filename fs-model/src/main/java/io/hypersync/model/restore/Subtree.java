package io.hypersync.model.restore;

import io.hypersync.model.difference.StateDifference.Limits;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.model.state.NodeContent.Directory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Says which directories of a state are below one of them. */
final class Subtree {
  private static final long HEAP_PER_DIRECTORY = 150;

  private final FsState state;
  private final @Nullable NodeId top;
  private final Limits limits;
  private final Map<NodeId, Boolean> known = new HashMap<>();

  /**
   * A subtree.
   *
   * @param top a directory, or null for an empty subtree
   */
  Subtree(FsState state, @Nullable NodeId top, Limits limits) {
    this.state = state;
    this.top = top;
    this.limits = limits;
  }

  /** Whether this is a directory with a name, at or below the top. */
  boolean has(NodeId directory) {
    List<NodeId> passed = new ArrayList<>();
    NodeId at = directory;
    @Nullable Boolean found = top == null ? Boolean.FALSE : null;
    while (found == null) {
      found = known.get(at);
      if (found != null) {
        break;
      }
      passed.add(at);
      Node node = state.node(at);
      if (node == null
          || node.isOrphan()
          || !(node.content() instanceof Directory(NodeId parent, var _))) {
        found = false;
      } else if (at.equals(top)) {
        found = true;
      } else if (parent.equals(at)) {
        found = false;
      } else {
        at = parent;
      }
    }
    limits.heap(HEAP_PER_DIRECTORY * passed.size());
    for (NodeId each : passed) {
      known.put(each, found);
    }
    return found;
  }
}
