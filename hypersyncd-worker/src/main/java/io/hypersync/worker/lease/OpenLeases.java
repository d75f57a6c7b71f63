package io.hypersync.worker.lease;

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
 * The open-leases of this worker (hypersync.md 6.8(3), 9.5): on every node that has an open handle,
 * and on every node without a name that the kernel still knows when a third of OPEN_LEASE_TTL has
 * passed. The leader reaps nothing before OPEN_LEASE_TTL is over, so both may be said late: what is
 * opened and closed at once, or unlinked and forgotten at once, costs no message. On the agent's
 * thread.
 */
public final class OpenLeases {
  private static final long NS_PER_MS = 1_000_000;
  private static final long LONGEST_DELAY_NS = 50 * NS_PER_MS;
  private static final int DELAYS_PER_TTL = 10;
  private static final int RENEWALS_PER_TTL = 3;
  private static final int CHECKS_PER_TURN = 1_000;

  private static final class Orphan {
    private final NodeId node;
    private final long inode;
    private final long sinceNs;
    private boolean queued;

    Orphan(NodeId node, long inode, long sinceNs) {
      this.node = node;
      this.inode = inode;
      this.sinceNs = sinceNs;
    }
  }

  private record Check(Orphan orphan, long askedNs) {}

  private final LeaderLink link;
  private final KernelInterest interest;
  private final Consumer<List<Long>> prune;
  private final Map<NodeId, Orphan> orphans = new HashMap<>();

  /** Orphans that nothing tells about when the kernel forgets them; oldest first. */
  private final ArrayDeque<Check> checks = new ArrayDeque<>();

  private final Set<NodeId> held = new HashSet<>();

  /** What may have to be said, and since when; oldest first. */
  private final SequencedMap<NodeId, Long> changed = new LinkedHashMap<>();

  private long epoch;
  private long ttlNs;
  private long nextRenewNs;

  /** The last turn: what is noticed now has happened since, nobody knows when. */
  private long lastTurnNs;

  /**
   * Nothing is open.
   *
   * @param prune has the kernel let go of those of these inodes that nobody uses
   */
  public OpenLeases(LeaderLink link, KernelInterest interest, Consumer<List<Long>> prune) {
    this.link = link;
    this.interest = interest;
    this.prune = prune;
  }

  /** An entry has become visible. */
  public void applied(LogEntry entry, FsState before, FsState after, long nowNs) {
    OrphanChanges.tell(
        entry,
        before,
        after,
        new OrphanChanges.Listener() {
          @Override
          public void orphaned(Node node) {
            Orphan orphan = new Orphan(node.id(), node.inode().value(), nowNs);
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
        });
  }

  /** The leader, perhaps another one, listens: it is told everything, before any report. */
  public void welcomed(Welcome welcome, long nowNs) {
    epoch = welcome.leaderEpoch();
    ttlNs = welcome.openLeaseTtlMs() * NS_PER_MS;
    interest.drainChanged(_ -> {}); // it is in what follows
    held.addAll(changed.keySet());
    changed.clear();
    interest.openNodes(held::add);
    held.removeIf(node -> !isWanted(node, nowNs));
    held.forEach(node -> watchIfKnown(node, nowNs));
    send(new ArrayList<>(held), nodes -> new OpenLeaseAcquire(epoch, nodes));
    nextRenewNs = nowNs + ttlNs / RENEWALS_PER_TTL;
    lastTurnNs = nowNs;
  }

  /**
   * Says what has changed, and renews. After a pause of this worker it says whatever has changed
   * meanwhile, since it may have been long ago, and the report that follows tells the leader that
   * it has heard of everything else.
   *
   * @param greeted whether the leader has welcomed this connection
   */
  public void tick(boolean greeted, long nowNs) {
    if (!greeted) {
      interest.drainChanged(_ -> {}); // the next leader is told everything
      return;
    }
    interest.drainChanged(node -> changed(node, lastTurnNs, nowNs));
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

  /** How many leases there are. */
  public int size() {
    return held.size();
  }

  private void changed(NodeId node, long sinceNs, long nowNs) {
    if (held.contains(node) || isWanted(node, nowNs)) {
      changed.putIfAbsent(node, sinceNs);
    } else {
      changed.remove(node); // opened and closed meanwhile
    }
  }

  private void check(long nowNs) {
    List<Long> idle = new ArrayList<>(0);
    for (int left = CHECKS_PER_TURN; left > 0 && !checks.isEmpty(); left--) {
      if (!isOld(checks.getFirst().askedNs, nowNs)) {
        break;
      }
      Orphan orphan = checks.removeFirst().orphan;
      orphan.queued = false;
      // Neither open nor known: nothing can lead here any more. Open: its close will be heard of.
      if (isCurrent(orphan) && (held.contains(orphan.node) || interest.isKnown(orphan.inode))) {
        changed(orphan.node, nowNs, nowNs); // not earlier: it may be let go of, see below
        if (!interest.isOpen(orphan.node)) {
          idle.add(orphan.inode);
        }
      }
    }
    if (!idle.isEmpty()) {
      // A kernel keeps the names it has used, also one that leads to nothing any more, and with it
      // the inode. What it forgets now is no longer known when the change is said.
      prune.accept(idle);
    }
  }

  /**
   * One message for all that is due by now or soon; what has been opened a moment ago may as well
   * be closed in a moment, as in a walk that reads one file after the other.
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
    if (interest.isOpen(node)) {
      return true;
    }
    @Nullable Orphan orphan = orphans.get(node);
    return orphan != null && isOld(orphan.sinceNs, nowNs) && interest.isKnown(orphan.inode);
  }

  private boolean isOld(long sinceNs, long nowNs) {
    return nowNs - sinceNs >= ttlNs / RENEWALS_PER_TTL;
  }

  private boolean isCurrent(Orphan orphan) {
    return orphans.get(orphan.node) == orphan;
  }

  /** Of a node that is wanted, but not open, nobody says when it is not wanted any more. */
  private void watchIfKnown(NodeId node, long nowNs) {
    @Nullable Orphan orphan = orphans.get(node);
    if (orphan != null && !interest.isOpen(node)) {
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
