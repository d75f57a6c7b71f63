package io.hypersync.worker.lease;

import io.hypersync.model.id.InodeNo;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.model.state.OrphanChanges;
import io.hypersync.wire.message.LeaderMessage.Welcome;
import io.hypersync.wire.message.Protocol;
import io.hypersync.wire.message.WorkerMessage;
import io.hypersync.wire.message.WorkerMessage.OpenLeaseAcquire;
import io.hypersync.wire.message.WorkerMessage.OpenLeaseRelease;
import io.hypersync.wire.message.WorkerMessage.OpenLeaseRenew;
import io.hypersync.worker.port.LeaderLink;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Acquires, renews and releases this worker's open-leases (hypersync.md 6.8(3), 9.5): on every node
 * with an open handle, and on every orphan that the kernel still holds when a third of
 * OPEN_LEASE_TTL has passed. The leader reaps nothing before OPEN_LEASE_TTL is over, so both may be
 * reported late: what is opened and closed at once, or unlinked and forgotten at once, costs no
 * message. On the agent's thread.
 */
public final class OpenLeaseClient {
  private static final long NS_PER_MS = 1_000_000;
  private static final long LONGEST_DELAY_NS = 50 * NS_PER_MS;
  private static final int DELAYS_PER_TTL = 10;
  private static final int RENEWALS_PER_TTL = 3;
  private static final int CHECKS_PER_TURN = 1_000;

  private static final class Orphan {
    private final NodeId node;
    private final InodeNo inode;
    private final long sinceNs;
    private boolean queued;

    Orphan(NodeId node, InodeNo inode, long sinceNs) {
      this.node = node;
      this.inode = inode;
      this.sinceNs = sinceNs;
    }
  }

  private record Check(Orphan orphan, long askedNs) {}

  private final LeaderLink link;
  private final KernelReferences references;
  private final Consumer<List<InodeNo>> prune;
  private final Map<NodeId, Orphan> orphans = new HashMap<>();

  /**
   * Orphans that have to be checked, since no event reports that the kernel has forgotten an inode;
   * oldest first.
   */
  private final ArrayDeque<Check> checks = new ArrayDeque<>();

  private final Set<NodeId> held = new HashSet<>();

  /**
   * Nodes whose lease may have to be acquired or released, and since when (monotonic); oldest
   * first.
   */
  private final SequencedMap<NodeId, Long> changed = new LinkedHashMap<>();

  private long epoch;
  private long ttlNs;
  private long nextRenewNs;

  /**
   * When the last turn was (monotonic): a change that is noticed now happened at an unknown moment
   * since.
   */
  private long lastTurnNs;

  /**
   * Creates a tracker without leases.
   *
   * @param prune makes the kernel forget those of these inodes that are not in use
   */
  public OpenLeaseClient(
      LeaderLink link, KernelReferences references, Consumer<List<InodeNo>> prune) {
    this.link = link;
    this.references = references;
    this.prune = prune;
  }

  /**
   * Records the orphans that an entry makes or removes; called when the entry has become visible.
   */
  public void applied(LogEntry entry, FsState before, FsState after, long nowNs) {
    OrphanChanges.report(entry, before, after, recording(nowNs));
  }

  /** Like {@link #applied}, for another state that has taken the place of the visible one. */
  public void replaced(FsState before, FsState after, long nowNs) {
    OrphanChanges.between(before, after, recording(nowNs));
  }

  private OrphanChanges.Listener recording(long nowNs) {
    return new OrphanChanges.Listener() {
      @Override
      public void orphaned(Node node) {
        Orphan orphan = new Orphan(node.id(), node.inode(), nowNs);
        orphans.put(node.id(), orphan);
        queue(orphan, nowNs);
      }

      @Override
      public void orphanGone(NodeId node) {
        orphans.remove(node);
        if (held.contains(node)) {
          changed(node, lastTurnNs, nowNs);
        }
      }
    };
  }

  /**
   * Handles the leader's welcome to a connection, perhaps by another leader: sends all leases
   * before any report.
   */
  public void welcomed(Welcome welcome, long nowNs) {
    epoch = welcome.leaderEpoch();
    ttlNs = welcome.openLeaseTtlMs() * NS_PER_MS;
    references.drainChanged(_ -> {}); // openNodes below includes them
    held.addAll(changed.keySet());
    changed.clear();
    references.openNodes(held::add);
    held.removeIf(node -> !isWanted(node, nowNs));
    held.forEach(node -> watchIfKnown(node, nowNs));
    send(new ArrayList<>(held), nodes -> new OpenLeaseAcquire(epoch, nodes));
    nextRenewNs = nowNs + ttlNs / RENEWALS_PER_TTL;
    lastTurnNs = nowNs;
  }

  /**
   * Sends what has changed, and renews. After a pause of this worker everything that has changed
   * meanwhile is sent at once, since it may have changed long ago, and the report that follows
   * states that the leader has received everything else.
   *
   * @param established whether the session with the leader is established
   */
  public void tick(boolean established, long nowNs) {
    if (!established) {
      references.drainChanged(_ -> {}); // the next welcome sends everything
      return;
    }
    references.drainChanged(node -> changed(node, lastTurnNs, nowNs));
    check(nowNs);
    long delayNs = Math.min(LONGEST_DELAY_NS, ttlNs / DELAYS_PER_TTL);
    if (!changed.isEmpty() && nowNs - changed.firstEntry().getValue() >= delayNs) {
      flush(nowNs, delayNs / 2);
    }
    lastTurnNs = nowNs;
    if (nowNs - nextRenewNs >= 0) {
      nextRenewNs = nowNs + ttlNs / RENEWALS_PER_TTL;
      renew();
    }
  }

  /** The number of leases. */
  public int size() {
    return held.size();
  }

  private void changed(NodeId node, long sinceNs, long nowNs) {
    if (held.contains(node) || isWanted(node, nowNs)) {
      changed.putIfAbsent(node, sinceNs);
    } else {
      changed.remove(node); // opened and closed since
    }
  }

  private void check(long nowNs) {
    List<InodeNo> idle = new ArrayList<>(0);
    for (int left = CHECKS_PER_TURN; left > 0 && !checks.isEmpty(); left--) {
      if (!isOld(checks.getFirst().askedNs, nowNs)) {
        break;
      }
      Orphan orphan = checks.removeFirst().orphan;
      orphan.queued = false;
      // An orphan that is neither open nor held by the kernel cannot be reached any more. The close
      // of one that is open will be reported.
      if (isCurrent(orphan) && (held.contains(orphan.node) || references.isKnown(orphan.inode))) {
        changed(orphan.node, nowNs, nowNs); // not earlier: the prune below may free it
        if (!references.isOpen(orphan.node)) {
          idle.add(orphan.inode);
        }
      }
    }
    if (!idle.isEmpty()) {
      // The kernel keeps dentries that it has used, even one of a name that was removed, and with
      // it the inode. An inode that it forgets now is no longer held when the change is sent.
      prune.accept(idle);
    }
  }

  /**
   * Sends all changes that are due by now or soon, together. Younger ones wait: what was opened a
   * moment ago may be closed in a moment, as in a walk that reads one file after another.
   */
  private void flush(long nowNs, long youngestNs) {
    List<NodeId> acquired = new ArrayList<>();
    List<NodeId> released = new ArrayList<>();
    while (!changed.isEmpty() && nowNs - changed.firstEntry().getValue() >= youngestNs) {
      NodeId node = changed.pollFirstEntry().getKey();
      if (isWanted(node, nowNs)) {
        if (held.add(node)) {
          acquired.add(node);
        }
        watchIfKnown(node, nowNs);
      } else if (held.remove(node)) {
        released.add(node);
      }
    }
    send(acquired, nodes -> new OpenLeaseAcquire(epoch, nodes));
    send(released, nodes -> new OpenLeaseRelease(epoch, nodes));
  }

  private void renew() {
    if (held.isEmpty()) {
      return;
    }
    List<NodeId> listed = new ArrayList<>();
    if (held.size() < orphans.size()) {
      held.stream().filter(orphans::containsKey).forEach(listed::add);
    } else {
      orphans.keySet().stream().filter(held::contains).forEach(listed::add);
    }
    if (listed.isEmpty()) {
      link.send(new OpenLeaseRenew(epoch, List.of()));
    }
    send(listed, nodes -> new OpenLeaseRenew(epoch, nodes));
  }

  private boolean isWanted(NodeId node, long nowNs) {
    if (references.isOpen(node)) {
      return true;
    }
    @Nullable Orphan orphan = orphans.get(node);
    return orphan != null && isOld(orphan.sinceNs, nowNs) && references.isKnown(orphan.inode);
  }

  private boolean isOld(long sinceNs, long nowNs) {
    return nowNs - sinceNs >= ttlNs / RENEWALS_PER_TTL;
  }

  private boolean isCurrent(Orphan orphan) {
    return orphans.get(orphan.node) == orphan;
  }

  /** Queues a check for an orphan that is wanted but not open: no event reports when that ends. */
  private void watchIfKnown(NodeId node, long nowNs) {
    @Nullable Orphan orphan = orphans.get(node);
    if (orphan != null && !references.isOpen(node)) {
      queue(orphan, nowNs);
    }
  }

  private void queue(Orphan orphan, long nowNs) {
    if (!orphan.queued) {
      orphan.queued = true;
      checks.addLast(new Check(orphan, nowNs));
    }
  }

  private void send(List<NodeId> nodes, Function<List<NodeId>, WorkerMessage> message) {
    for (int from = 0; from < nodes.size(); from += Protocol.MAX_NODES_PER_MESSAGE) {
      int to = Math.min(nodes.size(), from + Protocol.MAX_NODES_PER_MESSAGE);
      link.send(message.apply(nodes.subList(from, to)));
    }
  }
}
