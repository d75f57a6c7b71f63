package io.hypersync.worker.lease;

import io.hypersync.model.id.NodeId;
import java.util.Iterator;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** Counts the open handles of nodes (hypersync.md 6.8(3)). Threads: any. */
public final class OpenNodes {
  private final ConcurrentHashMap<NodeId, Integer> handles = new ConcurrentHashMap<>();

  /** Always written after the count, and read before it. */
  private final Set<NodeId> changed = ConcurrentHashMap.newKeySet();

  /** A handle was opened. */
  public void opened(NodeId node) {
    if (handles.merge(node, 1, Integer::sum) == 1) {
      changed.add(node);
    }
  }

  /** A handle was closed. */
  public void closed(NodeId node) {
    if (handles.computeIfPresent(node, (_, open) -> open == 1 ? null : open - 1) == null) {
      changed.add(node);
    }
  }

  /** Whether a handle is open. */
  public boolean isOpen(NodeId node) {
    return handles.containsKey(node);
  }

  /** All nodes with an open handle. */
  public void forEach(Consumer<NodeId> receiver) {
    handles.keySet().forEach(receiver);
  }

  /** See {@link KernelInterest#drainChanged}. */
  public void drainChanged(Consumer<NodeId> receiver) {
    Iterator<NodeId> nodes = changed.iterator();
    while (nodes.hasNext()) {
      NodeId node = nodes.next();
      nodes.remove();
      receiver.accept(node);
    }
  }
}
