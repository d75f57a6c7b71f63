package io.hypersync.leader.dataplane;

import io.hypersync.leader.dataplane.DataPlaneSettings.Mode;
import io.hypersync.wire.message.ChunkDelivery;
import java.util.Locale;

/**
 * Chooses between streams and datagrams for one worker. A path that loses nothing is served best by
 * streams: they cost less. On one that loses packets a stream holds up all that is behind a gap for
 * a round trip or more; so the longer that is, the fewer losses are enough for datagrams.
 */
final class DeliveryChoice {
  private static final double PERCENT = 100;
  private static final long MS = 1_000_000L;
  private static final long LONG_RTT_NS = 20 * MS;
  private static final long SHORT_RTT_NS = 2 * MS;
  private static final double LOSS_ON_LONG_PATH = 0.001;
  private static final double LOSS_ON_PATH = 0.003;
  private static final double LOSS_ON_SHORT_PATH = 0.01;

  /** It goes back to streams when the loss is below this part of what made it choose datagrams. */
  private static final double BACK = 0.25;

  /** And only after so long: what has changed may change again. */
  private static final long STAY_NS = 10_000 * MS;

  private final Mode mode;
  private ChunkDelivery chosen;
  private long chosenNs;
  private String reason;

  DeliveryChoice(Mode mode, boolean takesDatagrams, long nowNs) {
    Mode alone = mode == Mode.MULTICAST ? Mode.AUTO : mode; // for what does not go to all
    this.mode = takesDatagrams ? alone : Mode.STREAMS;
    this.chosenNs = nowNs;
    this.chosen = this.mode == Mode.DATAGRAMS ? ChunkDelivery.DATAGRAMS : ChunkDelivery.STREAM;
    this.reason =
        mode != Mode.STREAMS && !takesDatagrams
            ? "the worker takes no datagrams"
            : alone == Mode.AUTO ? "nothing is measured yet" : "it is set so";
  }

  /** Takes what was measured. */
  void measured(PacketLoss loss, long rttNs, long nowNs) {
    if (mode != Mode.AUTO || !loss.isKnown()) {
      return;
    }
    double limit = limit(rttNs);
    boolean isDatagrams = chosen == ChunkDelivery.DATAGRAMS;
    boolean wantsDatagrams = loss.rate() >= (isDatagrams ? limit * BACK : limit);
    if (isDatagrams && !wantsDatagrams && nowNs - chosenNs < STAY_NS) {
      return;
    }
    if (wantsDatagrams) {
      chosenNs = nowNs; // as of now they are the better choice
    }
    chosen = wantsDatagrams ? ChunkDelivery.DATAGRAMS : ChunkDelivery.STREAM;
    reason =
        String.format(
            Locale.ROOT,
            "%.2f %% of packets are lost, round trip %.1f ms",
            loss.rate() * PERCENT,
            (double) rttNs / MS);
  }

  private static double limit(long rttNs) {
    if (rttNs >= LONG_RTT_NS) {
      return LOSS_ON_LONG_PATH;
    }
    return rttNs >= SHORT_RTT_NS ? LOSS_ON_PATH : LOSS_ON_SHORT_PATH;
  }

  /** Streams or datagrams. */
  ChunkDelivery chosen() {
    return chosen;
  }

  /** Why, in words. */
  String reason() {
    return reason;
  }
}
