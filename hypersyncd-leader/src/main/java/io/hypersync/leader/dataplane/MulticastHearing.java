package io.hypersync.leader.dataplane;

import io.hypersync.wire.message.WorkerMessage.MulticastHeard;
import java.util.Locale;

/**
 * Whether one worker hears what is sent to all, as far as it tells. One that has heard nothing for
 * a while, or too little, is left out for some time. A worker that lies about it harms itself: it
 * gets nothing, and has to ask.
 */
final class MulticastHearing {
  private static final double PERCENT = 100;
  private static final long S = 1_000_000_000L;

  /** Workers tell of packets five times a second, and there is always one to tell of. */
  static final long DEAF_NS = 1_500_000_000L;

  /**
   * No more than this counts as silence between two looks. After a pause of the leader's, reports
   * may wait that it has not read.
   */
  static final long LONGEST_LOOK_NS = 50_000_000L;

  /** With more losses than this each chunk would need more repair symbols than it is worth. */
  static final double MOST_LOSS = 0.20;

  /** One that was left out for its losses comes back when they are below this. */
  private static final double BACK_LOSS = 0.10;

  /** And only after so long: what has failed may fail again. */
  static final long AWAY_NS = 10 * S;

  /** A report of fewer packets is joined with the next one. */
  private static final long LEAST_PACKETS = 64;

  /** The weight of a measurement against all before it. */
  private static final double WEIGHT = 0.3;

  private boolean isHearing;

  /** When it began to hear, or was left out. */
  private long changedNs;

  /** Whether it has ever been left out. */
  private boolean wasAway;

  /** How long it has told of nothing new, while the leader was looking. */
  private long silentNs;

  private long lookedNs;
  private long newest;
  private long measuredNewest;
  private long measuredReceived;
  private double loss;

  MulticastHearing(long nowNs) {
    this.lookedNs = nowNs;
  }

  /** Takes a report of this run of the sender. */
  void heard(MulticastHeard report, long nowNs) {
    if (report.newestPacket() <= newest) {
      return;
    }
    boolean isFirst = newest == 0;
    newest = report.newestPacket();
    silentNs = 0;
    lookedNs = nowNs;
    if (isFirst) {
      measuredNewest = newest;
      measuredReceived = report.received();
    } else {
      measure(report);
    }
    boolean isBack =
        !isHearing && (!wasAway || (nowNs - changedNs >= AWAY_NS && loss <= BACK_LOSS));
    if (isBack) {
      isHearing = true;
      changedNs = nowNs;
    } else if (isHearing && loss > MOST_LOSS) {
      leaveOut(nowNs);
    }
  }

  private void measure(MulticastHeard report) {
    long packets = newest - measuredNewest;
    if (packets < LEAST_PACKETS) {
      return;
    }
    double received = (double) (report.received() - measuredReceived) / packets;
    loss += WEIGHT * (1 - Math.clamp(received, 0.0, 1.0) - loss);
    measuredNewest = newest;
    measuredReceived = report.received();
  }

  /** Leaves out who has told of nothing for a while. */
  void tick(long nowNs) {
    silentNs += Math.clamp(nowNs - lookedNs, 0, LONGEST_LOOK_NS);
    lookedNs = nowNs;
    if (isHearing && silentNs >= DEAF_NS) {
      leaveOut(nowNs);
    }
  }

  private void leaveOut(long nowNs) {
    isHearing = false;
    wasAway = true;
    changedNs = nowNs;
  }

  /** Whether what is sent to all reaches it. */
  boolean isHearing() {
    return isHearing;
  }

  /** Since when it hears, if it does. */
  long sinceNs() {
    return changedNs;
  }

  /** The share of packets that it loses, 0 to 1; 0 if nothing was measured. */
  double loss() {
    return loss;
  }

  /** Why it is left out, or not, in words. */
  String reason() {
    if (newest == 0) {
      return "has heard no multicast packet yet";
    }
    if (!isHearing && silentNs >= DEAF_NS) {
      return "has heard no multicast packet for " + silentNs / S + " s";
    }
    String share =
        String.format(Locale.ROOT, "hears %.1f %% of multicast packets", (1 - loss) * PERCENT);
    return isHearing ? share : share + ", again after some time";
  }
}
