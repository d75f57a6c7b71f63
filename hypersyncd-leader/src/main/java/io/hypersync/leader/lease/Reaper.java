package io.hypersync.leader.lease;

import io.hypersync.leader.session.WorkerSession;
import io.hypersync.leader.session.WorkerSessions;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.invariant.Invariant;
import io.hypersync.wire.transport.SessionId;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Decides when orphans are reaped (hypersync.md 6.8, 14.2(2), 22.1(8)): when the entry that took
 * the last name has been durable, and reported as visible by every connected worker, for
 * OPEN_LEASE_TTL, and no worker holds an open-lease, nor does the leader itself need the node.
 *
 * <p>Time counts only while the leader runs: after a pause, the leader must first read the messages
 * that have arrived meanwhile. Called on the agent's thread.
 */
public final class Reaper {
  /** The most nodes of one entry, and the most that are examined in one turn. */
  private static final int BATCH = 1_000;

  private static final long LONGEST_PAUSE_NS = 100_000_000;
  private static final int LOOKS_PER_TTL = 50;
  private static final int STEPS_PER_TTL = 10;

  private final long ttlNs;
  private final long pauseNs;
  private final OpenLeaseTable leases;
  private final Orphans orphans;
  private final WorkerSessions sessions;
  private final Predicate<NodeId> isNeeded;
  private final Predicate<List<NodeId>> log;
  private final DelayedIndex durable;
  private final Map<SessionId, DelayedIndex> reported = new HashMap<>();
  private long lastMonotonicNs;
  private long awakeNs;
  private long nextLookNs;
  private long reaped;

  /**
   * A reaper for one run of the leader.
   *
   * @param ttlNs OPEN_LEASE_TTL
   * @param isNeeded whether the leader itself needs a node that has no name yet
   * @param log commits ReapOrphans of these nodes; false if that is not possible now
   */
  public Reaper(
      long ttlNs,
      OpenLeaseTable leases,
      Orphans orphans,
      WorkerSessions sessions,
      Predicate<NodeId> isNeeded,
      Predicate<List<NodeId>> log,
      long monotonicNs) {
    this.ttlNs = ttlNs;
    this.pauseNs = Math.min(ttlNs / LOOKS_PER_TTL, LONGEST_PAUSE_NS);
    this.leases = leases;
    this.orphans = orphans;
    this.sessions = sessions;
    this.isNeeded = isNeeded;
    this.log = log;
    this.durable = new DelayedIndex(ttlNs);
    this.lastMonotonicNs = monotonicNs;
  }

  /**
   * Advances time, and reaps orphans that are due.
   *
   * @return how many orphans were reaped
   */
  public int tick(long durableIndex, long monotonicNs) {
    awakeNs += Math.clamp(monotonicNs - lastMonotonicNs, 0, ttlNs / STEPS_PER_TTL);
    lastMonotonicNs = monotonicNs;
    if (awakeNs < nextLookNs) {
      return 0;
    }
    nextLookNs = awakeNs + pauseNs;
    leases.advance(awakeNs);
    long dueThrough = dueThrough(durableIndex);
    List<NodeId> ripe =
        orphans.ripe(dueThrough, this::isHeld, BATCH, awakeNs, ttlNs / STEPS_PER_TTL);
    Invariant.OPEN_NODES_ARE_KEPT.check(ripe.stream().noneMatch(leases::isHeld));
    if (ripe.isEmpty() || !log.test(ripe)) {
      return 0;
    }
    reaped += ripe.size();
    nextLookNs = awakeNs; // there may be more
    return ripe.size();
  }

  /**
   * Whether everything that is open is known. A leader that has just started gives workers
   * OPEN_LEASE_TTL to come back, and a worker's first report on a session follows its leases.
   */
  public boolean knowsWhatIsOpen() {
    return awakeNs >= ttlNs
        && sessions.all().stream()
            .noneMatch(
                each -> each.isEstablished() && !each.isInstalling() && each.report() == null);
  }

  private boolean isHeld(NodeId node) {
    return leases.isHeld(node) || isNeeded.test(node);
  }

  /** How many orphans were reaped since the leader started. */
  public long reaped() {
    return reaped;
  }

  /**
   * The newest entry after which every connected worker has had OPEN_LEASE_TTL to report open
   * nodes.
   *
   * <p>A worker that was offered a snapshot counts as one that is gone. It gets no entries on this
   * connection, so it would hold up everything for as long as it installs, which may be an hour.
   * Either it has just started and shows nothing. Or it is mounted, and shows its old state until
   * it jumps to the snapshot: then its leases hold what they held while it was away, and what it
   * reports anew (docs/open-leases.md, note 4).
   */
  private long dueThrough(long durableIndex) {
    durable.reached(durableIndex, awakeNs);
    long dueThrough = durable.dueThrough(awakeNs);
    Set<SessionId> connected = new HashSet<>();
    for (WorkerSession session : sessions.all()) {
      if (session.isEstablished() && !session.isInstalling()) {
        connected.add(session.id());
        DelayedIndex index = reported.computeIfAbsent(session.id(), _ -> new DelayedIndex(ttlNs));
        // A worker's first report on a session follows its leases on everything that was open when
        // the session was established.
        index.reached(session.visibleIndex(), awakeNs);
        dueThrough = Math.min(dueThrough, index.dueThrough(awakeNs));
      }
    }
    reported.keySet().retainAll(connected);
    return dueThrough;
  }
}
