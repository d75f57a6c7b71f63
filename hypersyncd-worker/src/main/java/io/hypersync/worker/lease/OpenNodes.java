package io.hypersync.worker.lease;

import io.hypersync.model.id.NodeId;
import java.util.Iterator;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** Counts the open handles of nodes (hypersync.md 6.8(3)). Thread-safe. */
public final class OpenNodes {
  private final ConcurrentHashMap<NodeId, Integer> handles = new ConcurrentHashMap<>();

  /**
   * Nodes whose count has become 1 or 0. Written after the count and read before it, so that no
   * change is missed.
   */
  private final Set<NodeId> changed = ConcurrentHashMap.newKeySet();

  /** Counts a handle that was opened. */
  public void opened(NodeId node) {
    if (handles.merge(node, 1, Integer::sum) == 1) {
      changed.add(node);
    }
  }

  /** Counts a handle that was closed. */
  public void closed(NodeId node) {
    if (handles.computeIfPresent(node, (_, open) -> open == 1 ? null : open - 1) == null) {
      changed.add(node);
    }
  }

  /** Whether the node has an open handle. */
  public boolean isOpen(NodeId node) {
    return handles.containsKey(node);
  }

  /** Passes every node with an open handle to {@code receiver}. */
  public void forEach(Consumer<NodeId> receiver) {
    handles.keySet().forEach(receiver);
  }

  /** See {@link KernelReferences#drainChanged}. */
  public void drainChanged(Consumer<NodeId> receiver) {
    Iterator<NodeId> nodes = changed.iterator();
    while (nodes.hasNext()) {
      NodeId node = nodes.next();
      nodes.remove();
      receiver.accept(node);
    }
  }
}
