package io.hypersync.leader.lease;

import io.hypersync.leader.quota.Quota;
import io.hypersync.leader.quota.QuotaViolations;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.state.Node;
import io.hypersync.model.trie.PageUnreadableException;
import io.hypersync.wire.message.WorkerMessage.OpenLeaseAcquire;
import io.hypersync.wire.message.WorkerMessage.OpenLeaseRelease;
import io.hypersync.wire.message.WorkerMessage.OpenLeaseRenew;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Open-leases: which nodes are open on which workers (hypersync.md 6.8(3), 9.5). Runtime state: it
 * is in no log and no snapshot, and a restarted leader starts without any.
 *
 * <p>After each Welcome a worker reports all its open nodes again, and from then on every change,
 * in order. So single leases need no expiry: all leases of a worker end together, OPEN_LEASE_TTL
 * after its last message about them. Leases from before the Welcome stay valid until they would
 * have expired without it.
 *
 * <p>The state per worker is bounded: leases on nodes that do not exist are ignored, and so are
 * those beyond its quota ({@link Quota}). Called on the agent's thread.
 */
public final class OpenLeaseTable {
  private static final class Holder {
    private final Set<NodeId> nodes = new HashSet<>();
    private final Set<NodeId> earlier = new HashSet<>();
    private long untilNs;
    private long earlierUntilNs;

    Holder(long nowNs) {
      this.untilNs = nowNs;
      this.earlierUntilNs = nowNs;
    }

    boolean holds(NodeId node, long nowNs) {
      return (untilNs - nowNs > 0 && nodes.contains(node))
          || (earlierUntilNs - nowNs > 0 && earlier.contains(node));
    }

    boolean isOver(long nowNs) {
      return untilNs - nowNs <= 0 && earlierUntilNs - nowNs <= 0;
    }
  }

  private final long epoch;
  private final long ttlNs;
  private final Function<NodeId, @Nullable Node> nodes;
  private final int quota;
  private final QuotaViolations violations;
  private final Map<WorkerId, Holder> holders = new HashMap<>();
  private long nowNs;

  /**
   * Starts without leases.
   *
   * @param epoch of this run of the leader; messages meant for another run are ignored
   * @param ttlNs OPEN_LEASE_TTL
   * @param nodes lookup in the newest state: a node that is not there is neither open nor reaped
   * @param quota the most leases of one worker; the same again for those from before its last Hello
   * @param violations counts leases that were not taken
   */
  public OpenLeaseTable(
      long epoch,
      long ttlNs,
      Function<NodeId, @Nullable Node> nodes,
      int quota,
      QuotaViolations violations) {
    this.epoch = epoch;
    this.ttlNs = ttlNs;
    this.nodes = nodes;
    this.quota = quota;
    this.violations = violations;
  }

  /**
   * Advances time, which the reaper counts only while the leader runs, and drops expired leases.
   */
  void advance(long newNowNs) {
    nowNs = newNowNs;
    holders.values().removeIf(holder -> holder.isOver(nowNs));
  }

  /**
   * The worker's Hello was accepted: this run, or a new one, will report all its open nodes again.
   * Its earlier leases stay valid until they would have expired.
   */
  public void established(WorkerId worker) {
    Holder holder = holders.get(worker);
    if (holder == null) {
      return;
    }
    if (holder.earlierUntilNs - nowNs <= 0) {
      holder.earlier.clear();
      holder.earlierUntilNs = holder.untilNs;
    }
    for (NodeId node : holder.nodes) {
      if (holder.earlier.size() < quota) {
        holder.earlier.add(node);
      } else if (!holder.earlier.contains(node)) {
        violations.add(Quota.LEASES, worker);
      }
    }
    holder.earlierUntilNs = Math.max(holder.earlierUntilNs, holder.untilNs);
    holder.nodes.clear();
  }

  /** Takes leases on nodes that are open on the worker. */
  public void acquire(WorkerId worker, OpenLeaseAcquire acquire) {
    hold(worker, acquire.leaderEpoch(), acquire.nodes());
  }

  /** Renews all leases of this connection, and takes those listed that are missing. */
  public void renew(WorkerId worker, OpenLeaseRenew renew) {
    hold(worker, renew.leaderEpoch(), renew.nodes());
  }

  /** Ends leases on nodes that are no longer open on the worker. */
  public void release(WorkerId worker, OpenLeaseRelease release) {
    Holder holder = holders.get(worker);
    if (holder != null && release.leaderEpoch() == epoch) {
      release.nodes().forEach(holder.nodes::remove);
      release.nodes().forEach(holder.earlier::remove);
    }
  }

  /** A worker has left for good: its leases end. */
  public void dismissed(WorkerId worker) {
    holders.remove(worker);
  }

  /** Whether any worker holds a lease on the node. */
  public boolean isHeld(NodeId node) {
    for (Holder holder : holders.values()) {
      if (holder.holds(node, nowNs)) {
        return true;
      }
    }
    return false;
  }

  /**
   * The workers that hold leases on such nodes, in alphabetical order, separated by commas; for
   * reports.
   */
  public String holders(Predicate<NodeId> nodesOfInterest) {
    List<String> names = new ArrayList<>();
    holders.forEach(
        (worker, holder) -> {
          if ((holder.untilNs - nowNs > 0 && holder.nodes.stream().anyMatch(nodesOfInterest))
              || (holder.earlierUntilNs - nowNs > 0
                  && holder.earlier.stream().anyMatch(nodesOfInterest))) {
            names.add(worker.name());
          }
        });
    Collections.sort(names);
    return String.join(",", names);
  }

  /** All nodes on which any worker holds a lease. */
  public Set<NodeId> held() {
    Set<NodeId> held = new HashSet<>();
    for (Holder holder : holders.values()) {
      if (holder.untilNs - nowNs > 0) {
        held.addAll(holder.nodes);
      }
      if (holder.earlierUntilNs - nowNs > 0) {
        held.addAll(holder.earlier);
      }
    }
    return held;
  }

  /** How many leases are kept; those from before a Hello are counted separately. */
  public int size() {
    int size = 0;
    for (Holder holder : holders.values()) {
      size += holder.nodes.size() + holder.earlier.size();
    }
    return size;
  }

  private void hold(WorkerId worker, long leaderEpoch, Collection<NodeId> held) {
    if (leaderEpoch != epoch) {
      return;
    }
    Holder holder = holders.computeIfAbsent(worker, _ -> new Holder(nowNs));
    holder.untilNs = nowNs + ttlNs;
    int unknown = 0;
    int tooMany = 0;
    for (NodeId id : held) {
      if (holder.nodes.contains(id)) {
        continue;
      }
      if (holder.nodes.size() >= quota) {
        tooMany++;
        continue;
      }
      try {
        Node node = nodes.apply(id);
        if (node == null) {
          unknown++;
        } else {
          holder.nodes.add(node.id()); // the state's own id object, which saves heap
        }
      } catch (PageUnreadableException e) {
        holder.nodes.add(id); // nobody can tell now, and it may be an orphan that is open
      }
    }
    violations.add(Quota.LEASE_OF_UNKNOWN_NODE, worker, unknown);
    violations.add(Quota.LEASES, worker, tooMany);
  }
}
