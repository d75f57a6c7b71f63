package io.hypersync.worker.dataplane;

import io.hypersync.wire.message.LeaderMessage.MulticastGroup;
import io.hypersync.wire.message.WorkerMessage.MulticastHeard;
import io.hypersync.worker.port.LeaderLink;
import org.jspecify.annotations.Nullable;

/**
 * Tells the leader what is heard of the packets that it sends to all workers. One that tells of
 * nothing new for a while gets chunks in another way. On the agent's thread.
 */
public final class MulticastReports {
  /** How often the leader is told while packets come. */
  private static final long REPORTED_NS = 200_000_000L;

  private final LeaderLink link;
  private @Nullable MulticastGroup group;
  private @Nullable MulticastHeard newest;
  private long reported;
  private long nextReportNs;

  /** No group is known yet. */
  public MulticastReports(LeaderLink link) {
    this.link = link;
  }

  /** The leader has said where it sends. */
  public void join(MulticastGroup told) {
    group = told;
    newest = null;
    reported = 0;
    link.join(told);
  }

  /** Packets have come; only what comes after {@link #join} counts. */
  public void heard(MulticastHeard counts) {
    if (group != null && counts.epoch() == group.epoch()) {
      newest = counts;
    }
  }

  /** Tells the leader at once of the first packet, and then now and then. */
  public void tick(long nowNs) {
    MulticastHeard now = newest;
    if (now == null || now.received() == reported) {
      return;
    }
    if (reported == 0 || nowNs - nextReportNs >= 0) {
      reported = now.received();
      nextReportNs = nowNs + REPORTED_NS;
      link.send(now);
    }
  }

  /** The connection has ended. */
  public void leaderLost() {
    if (group != null) {
      group = null;
      newest = null;
      link.leave();
    }
  }
}
