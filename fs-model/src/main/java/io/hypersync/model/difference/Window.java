package io.hypersync.model.difference;

import io.hypersync.model.id.NodeId;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The nodes with the lowest ids behind a bound, of all that are added in any order: as many as fit.
 * So all differences can be looked at part by part. What is known of a node in the window is
 * complete, because a node leaves the window for good, with all nodes behind it.
 */
final class Window {
  private final @Nullable NodeId after;
  private final int capacity;
  private final TreeMap<NodeId, NameChanges> nodes = new TreeMap<>();
  private int names;
  private boolean isCut;

  /**
   * An empty window.
   *
   * @param after the highest id of the window before, or null
   * @param capacity how many nodes and names it has at most, unless one node has more names
   */
  Window(@Nullable NodeId after, int capacity) {
    this.after = after;
    this.capacity = capacity;
  }

  /** A node differs. */
  void add(NodeId node) {
    if (inWindow(node) != null) {
      shrink();
    }
  }

  /** A node has a name in the first state only. */
  void gone(NodeId node, NameChanges.Changed name) {
    NameChanges known = inWindow(node);
    if (known != null) {
      known.gone().add(name);
      names++;
      shrink();
    }
  }

  /** A node has a name in the second state only. */
  void come(NodeId node, NameChanges.Changed name) {
    NameChanges known = inWindow(node);
    if (known != null) {
      known.come().add(name);
      names++;
      shrink();
    }
  }

  private @Nullable NameChanges inWindow(NodeId node) {
    boolean outside =
        (after != null && node.compareTo(after) <= 0)
            || (isCut && node.compareTo(nodes.lastKey()) > 0);
    return outside ? null : nodes.computeIfAbsent(node, _ -> new NameChanges());
  }

  private void shrink() {
    while (nodes.size() > 1 && nodes.size() + names > capacity) {
      Map.Entry<NodeId, NameChanges> last = nodes.pollLastEntry();
      names -= last.getValue().count();
      isCut = true;
    }
  }

  /** The nodes in the order of their ids. */
  Map<NodeId, NameChanges> nodes() {
    return nodes;
  }

  /** Whether there are nodes behind this window. */
  boolean isCut() {
    return isCut;
  }

  /** The highest id; there must be one. */
  NodeId last() {
    return nodes.lastKey();
  }
}
