package io.hypersync.leader.session;

import io.hypersync.leader.CatchUpLimits;
import io.hypersync.model.id.WorkerId;
import java.util.HashMap;
import java.util.Map;

/**
 * Workers that are mounted and too far behind to follow the log: they get a snapshot instead
 * (hypersync.md 12.4). One that is connected is hung up, and offered a snapshot when it comes back;
 * nobody else waits for it meanwhile. What cannot be installed is not offered again for a while, so
 * such a worker gets the log, as far as it is there. On the agent's thread.
 */
final class LaggingWorkers {
  private final CatchUpLimits limits;

  /** When each worker was last moved to a snapshot; at most one for each enrolled worker. */
  private final Map<WorkerId, Move> moves = new HashMap<>();

  private record Move(long atNs, boolean isOffered) {}

  /** None yet. */
  LaggingWorkers(CatchUpLimits limits) {
    this.limits = limits;
  }

  /**
   * Whether a connected worker follows too slowly. One that cannot apply is left alone: a snapshot
   * would not change that.
   */
  boolean isTooSlow(WorkerSession session, long durable, long nowNs) {
    var report = session.report();
    return report != null
        && report.applyError() == null
        && !session.isInstalling()
        && (durable - report.visibleIndex() > limits.maxLagEntries()
            || session.lagNs(nowNs) > limits.maxLagNs())
        && mayMove(session.worker(), nowNs);
  }

  /** It is hung up, and gets a snapshot with its next Hello. */
  void hungUp(WorkerId worker, long nowNs) {
    moves.put(worker, new Move(nowNs, false));
  }

  /**
   * Whether a worker that comes back gets a snapshot; if so it counts as offered.
   *
   * @param lag how many entries it is behind
   */
  boolean isMoved(WorkerId worker, long lag, long nowNs) {
    Move last = moves.get(worker);
    boolean isWaiting = last != null && !last.isOffered;
    if (!isWaiting && (lag <= limits.maxLagEntries() || !mayMove(worker, nowNs))) {
      return false;
    }
    moves.put(worker, new Move(nowNs, true));
    return true;
  }

  /**
   * Whether a snapshot brings a worker on: it has at least half of what that lacks.
   *
   * @param lag how many entries the worker is behind
   * @param left how many of them come behind the snapshot
   */
  static boolean isWorthIt(long lag, long left) {
    return left <= lag / 2;
  }

  private boolean mayMove(WorkerId worker, long nowNs) {
    Move last = moves.get(worker);
    return last == null || nowNs - last.atNs > limits.maxLagNs();
  }
}
