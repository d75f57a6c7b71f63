package io.hypersync.sim.check;

import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.FsOp;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * What processes have open, from the answer to their open until they call close: no node is reaped
 * that is open on a worker which the leader is connected to (hypersync.md 6.8, 22.1(8)).
 */
public final class OpenLedger {
  private final Map<String, Map<NodeId, Integer>> open = new HashMap<>();
  private final Set<NodeId> reaped = new HashSet<>();
  private long late;

  /** A process has been given a handle. */
  public void opened(String worker, NodeId node) {
    open.computeIfAbsent(worker, _ -> new HashMap<>()).merge(node, 1, Integer::sum);
  }

  /** A process closes a handle. */
  public void closed(String worker, NodeId node) {
    Map<NodeId, Integer> nodes = open.getOrDefault(worker, Map.of());
    if (nodes.computeIfPresent(node, (_, handles) -> handles == 1 ? null : handles - 1) == null
        && reaped.contains(node)) {
      late++;
    }
  }

  /** The worker has crashed, and so have its processes. */
  public void abandoned(String worker) {
    open.remove(worker);
  }

  /**
   * The leader reaps, now.
   *
   * @param connected the workers that it is connected to
   */
  public void reaping(FsOp.ReapOrphans reap, Collection<String> connected) {
    for (String worker : connected) {
      Map<NodeId, Integer> nodes = open.getOrDefault(worker, Map.of());
      for (NodeId node : reap.nodes()) {
        Violation.unless(!nodes.containsKey(node), node, " is reaped and open on ", worker);
      }
    }
    reaped.addAll(reap.nodes());
  }

  /** Whether the leader has begun to reap the node. */
  public boolean isReaped(NodeId node) {
    return reaped.contains(node);
  }

  /** How many nodes were reaped. */
  public long reapedCount() {
    return reaped.size();
  }

  /** How many handles were closed after their node was reaped: their workers were cut off. */
  public long lateCount() {
    return late;
  }
}
