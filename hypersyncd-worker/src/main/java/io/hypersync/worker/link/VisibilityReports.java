package io.hypersync.worker.link;

import io.hypersync.wire.message.WorkerMessage.WorkerVisible;
import io.hypersync.worker.port.LeaderLink;

/**
 * Tells the leader what the processes of this host see, as long as it waits for that: once in a
 * turn of the agent if an entry of somebody else is settled, because a call somewhere waits for it,
 * and ten times in a lease to renew it. Used on the agent's thread only.
 */
public final class VisibilityReports {
  private static final int RENEWALS = 10;

  /** How long own entries wait for a report, so that it tells of several. */
  private static final long OWN_NS = 2_000_000;

  private final LeaderLink link;
  private final VisibilityLease lease;
  private long newestForeign;
  private long reported;
  private long nextNs;

  /** When the last report was sent. */
  private long sentNs;

  /** Has told nothing yet. */
  public VisibilityReports(LeaderLink link, VisibilityLease lease) {
    this.link = link;
    this.lease = lease;
  }

  /** A connection is up, on which nothing was told yet. */
  public void begins(long nowNs) {
    reported = 0;
    nextNs = nowNs;
  }

  /** An entry has become visible that another worker, or the leader, has made. */
  public void foreign(long index) {
    newestForeign = Math.max(newestForeign, index);
  }

  /**
   * Reports if it is time. The session must be established.
   *
   * @param settled the newest entry whose invalidations the kernel has completed
   */
  public void tick(long settled, long nowNs) {
    if (!lease.isNeeded()) {
      return;
    }
    // Others wait for own entries, too: for an answer that is about a state which has them.
    boolean isAwaited =
        settled > reported && (newestForeign > reported || nowNs - sentNs >= OWN_NS);
    if (isAwaited || nowNs - nextNs >= 0) {
      sentNs = nowNs;
      nextNs = nowNs + lease.lengthNs() / RENEWALS;
      reported = settled;
      link.send(new WorkerVisible(settled, Math.max(1, nowNs)));
    }
  }
}
