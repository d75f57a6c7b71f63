package io.hypersync.sim.check;

import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.state.FsState;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.WorkerMessage;
import io.hypersync.wire.message.WorkerMessage.WorkerApplied;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The files that processes have open, from the answer to open until they call close, and whether
 * the leader reaps correctly (hypersync.md 6.8, 22.1(8), docs/open-leases.md). No node may be
 * reaped that is open on a connected worker. Before a node is reaped, the entry that removed its
 * last name must have been durable, and reported as visible by every connected worker, for
 * OPEN_LEASE_TTL. A worker that is offered a snapshot counts as one that is gone, and gets no
 * entries. A node that was open for a while when a worker sent a report must be known to the leader
 * as open from then on, also after a reconnect of that worker, for as long as the worker's leases
 * cannot have expired.
 */
public final class OpenFileChecker {
  /**
   * A node that has been open for this long, in nanoseconds, has been announced to the leader
   * before the worker sends its next report.
   */
  private static final long LATEST_WORD_NS = 150_000_000;

  private record Handles(int count, long sinceNs) {}

  private record Reported(long receivedNs, long index) {}

  /** A report in transit: when it was sent, which nodes were open then, and since when. */
  private record Sent(long atNs, Map<NodeId, Long> openSince) {}

  private final Clock clock;
  private final long leaseNs;
  private LogChecker log;
  private final Map<String, Map<NodeId, Handles>> open = new HashMap<>();
  private final Map<String, Map<WorkerMessage, Sent>> underWay = new HashMap<>();

  /**
   * By worker: the nodes that were open when it sent its last report that has arrived, and since
   * when.
   */
  private final Map<String, Map<NodeId, Long>> known = new HashMap<>();

  /** By worker: when it sent its last report that has arrived. */
  private final Map<String, Long> saidNs = new HashMap<>();

  /** By worker: the applied indexes that it reported over its present connection. */
  private final Map<String, ArrayDeque<Reported>> reports = new HashMap<>();

  /** The workers that were offered a snapshot over their present connection. */
  private final Set<String> offered = new HashSet<>();

  private final Set<NodeId> reaped = new HashSet<>();
  private long late;

  /**
   * Creates a checker for which nothing is open.
   *
   * @param leaseNs OPEN_LEASE_TTL, in nanoseconds
   */
  public OpenFileChecker(Clock clock, long leaseNs, LogChecker log) {
    this.clock = clock;
    this.leaseNs = leaseNs;
    this.log = log;
  }

  /** Another leader has taken over. */
  public void follow(LogChecker next) {
    log = next;
  }

  /** A process has received a handle. */
  public void opened(String worker, NodeId node) {
    open.computeIfAbsent(worker, _ -> new HashMap<>())
        .compute(
            node,
            (_, handles) ->
                handles == null
                    ? new Handles(1, clock.monotonicNs())
                    : new Handles(handles.count + 1, handles.sinceNs));
  }

  /** A process closes a handle. */
  public void closed(String worker, NodeId node) {
    Map<NodeId, Handles> nodes = open.get(worker);
    Handles left =
        nodes == null
            ? null
            : nodes.computeIfPresent(
                node,
                (_, handles) ->
                    handles.count == 1 ? null : new Handles(handles.count - 1, handles.sinceNs));
    if (left == null && reaped.contains(node)) {
      late++;
    }
  }

  /** The worker has crashed, and its processes with it. */
  public void abandoned(String worker) {
    open.remove(worker);
    underWay.remove(worker);
    known.remove(worker);
  }

  /** A worker sends a report; every lease message that it sent before precedes it on the stream. */
  public void reporting(String worker, WorkerApplied report) {
    Map<NodeId, Long> openSince = new HashMap<>();
    long beforeNs = clock.monotonicNs() - LATEST_WORD_NS;
    open.getOrDefault(worker, Map.of())
        .forEach(
            (node, handles) -> {
              if (handles.sinceNs <= beforeNs) {
                openSince.put(node, handles.sinceNs);
              }
            });
    underWay
        .computeIfAbsent(worker, _ -> new IdentityHashMap<>())
        .put(report, new Sent(clock.monotonicNs(), openSince));
  }

  /** A new run of the leader begins, which has received no reports yet. */
  public void leaderStarted() {
    known.clear();
    reports.clear();
    offered.clear();
  }

  /** The leader sends a worker this message, over its present connection. */
  public void sent(String worker, LeaderMessage message) {
    if (message instanceof LeaderMessage.Welcome) {
      offered.remove(worker);
    } else if (message instanceof LeaderMessage.SnapshotOffer) {
      offered.add(worker);
    } else if (message instanceof LeaderMessage.LogEntries) {
      // Else it would show what nobody waits for before something is reaped.
      Violation.unless(
          !offered.contains(worker), worker, " gets entries after the offer of a snapshot");
    }
  }

  /**
   * The leader has accepted a Hello.
   *
   * @param held whether the leader considers a node open on some worker
   */
  public void established(String worker, Predicate<NodeId> held) {
    reports.put(worker, new ArrayDeque<>());
    checkHeld(worker, held);
  }

  /**
   * The leader has processed a report, over a connection whose Hello it has accepted.
   *
   * @param held whether the leader considers a node open on some worker
   */
  public void reported(String worker, WorkerApplied report, Predicate<NodeId> held) {
    Map<WorkerMessage, Sent> ofWorker = underWay.get(worker);
    Sent sent = ofWorker == null ? null : ofWorker.remove(report);
    long now = clock.monotonicNs();
    // sent is null if the worker has crashed meanwhile
    known.put(worker, sent == null ? Map.of() : sent.openSince);
    saidNs.put(worker, sent == null ? now : sent.atNs);
    ArrayDeque<Reported> before = reports.computeIfAbsent(worker, _ -> new ArrayDeque<>());
    if (before.isEmpty() || before.getLast().index < report.visibleIndex()) {
      before.addLast(new Reported(now, report.visibleIndex()));
    }
    checkHeld(worker, held);
  }

  /**
   * The leader logs {@code ReapOrphans} now.
   *
   * @param connected the workers whose Hello it has accepted
   */
  public void reaping(FsOp.ReapOrphans reap, Set<String> connected) {
    long now = clock.monotonicNs();
    for (NodeId node : reap.nodes()) {
      long index = log.orphanedBy(node);
      Violation.unless(
          now - log.durableSinceNs(index) >= leaseNs,
          node,
          " is reaped ",
          (now - log.durableSinceNs(index)) / 1_000_000,
          " ms after entry ",
          index,
          " took its last name");
      for (String worker : connected) {
        if (offered.contains(worker)) {
          // It reports nothing, and does not go on from what it shows: nobody may wait for it, and
          // what it has open is safe by its leases only, as while it was away.
          continue;
        }
        Violation.unless(!isOpen(worker, node), node, " is reaped and open on ", worker);
        long reportedNs = reportedNs(worker, index);
        Violation.unless(
            reportedNs != Long.MAX_VALUE && now - reportedNs >= leaseNs,
            node,
            " is reaped; that it lost its last name with entry ",
            index,
            " was reported by ",
            worker,
            reportedNs == Long.MAX_VALUE
                ? " never"
                : " " + (now - reportedNs) / 1_000_000 + " ms ago");
      }
      known.forEach((worker, openSince) -> checkLease(node, worker, openSince, now));
    }
    reaped.addAll(reap.nodes());
  }

  /**
   * The leader logs {@code RestoreState} now: what it should know to be open must be named, or have
   * a name in the earlier state.
   */
  public void restoring(FsOp.RestoreState restore) throws DecodeException {
    Set<NodeId> named = Set.copyOf(restore.open());
    FsState earlier = log.state(Manifest.index(restore.manifest()));
    known
        .keySet()
        .forEach(
            worker -> checkHeld(worker, node -> named.contains(node) || earlier.hasNamed(node)));
  }

  /**
   * When the worker first reported on its present connection that it had applied {@code index};
   * {@code Long.MAX_VALUE} if it has not.
   */
  private long reportedNs(String worker, long index) {
    for (Reported report : reports.getOrDefault(worker, new ArrayDeque<>())) {
      if (report.index >= index) {
        return report.receivedNs;
      }
    }
    return Long.MAX_VALUE;
  }

  /**
   * Whether the leases of a worker cannot have expired. Its last renewal was sent at most a third
   * of the TTL before its last report, and arrived before that report. The time at which the report
   * arrived proves nothing, because the messages between the two may have been delayed on the way.
   */
  private boolean isLeaseCertain(String worker, long now) {
    return now - saidNs.getOrDefault(worker, 0L) < leaseNs / 2;
  }

  private void checkLease(NodeId node, String worker, Map<NodeId, Long> openSince, long now) {
    Violation.unless(
        !isLeaseCertain(worker, now) || !isStillOpen(worker, node, openSince),
        node,
        " is reaped and open on ",
        worker,
        ", which reported ",
        (now - saidNs.getOrDefault(worker, 0L)) / 1_000_000,
        " ms ago");
  }

  private void checkHeld(String worker, Predicate<NodeId> held) {
    if (!isLeaseCertain(worker, clock.monotonicNs())) {
      return;
    }
    Map<NodeId, Long> openSince = known.getOrDefault(worker, Map.of());
    for (NodeId node : openSince.keySet()) {
      Violation.unless(
          held.test(node) || !isStillOpen(worker, node, openSince) || isReaped(node),
          "the leader does not know that ",
          node,
          " is open on ",
          worker);
    }
  }

  private boolean isStillOpen(String worker, NodeId node, Map<NodeId, Long> openSince) {
    Handles handles = open.getOrDefault(worker, Map.of()).get(node);
    Long since = openSince.get(node);
    return handles != null && since != null && handles.sinceNs == since;
  }

  private boolean isOpen(String worker, NodeId node) {
    return open.getOrDefault(worker, Map.of()).containsKey(node);
  }

  /**
   * Whether the leader has begun to reap the node, or a restore of everything has taken it, or it
   * is lost with a leader that was followed by one which was behind.
   */
  public boolean isReaped(NodeId node) {
    return reaped.contains(node) || log.isTakenByRestore(node) || !log.hasMade(node);
  }

  /** Number of reaped nodes. */
  public long reapedCount() {
    return reaped.size();
  }

  /**
   * Number of handles that were closed after their node was reaped: their worker had been
   * partitioned for longer than its leases.
   */
  public long lateCount() {
    return late;
  }
}
