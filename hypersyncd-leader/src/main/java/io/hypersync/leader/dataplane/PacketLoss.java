package io.hypersync.leader.dataplane;

import io.hypersync.wire.transport.PathFigures;

/** The share of the packets to a worker that were lost lately. */
final class PacketLoss {
  /** A measurement of fewer packets is joined with the next one. */
  private static final long LEAST_PACKETS = 200;

  /** The weight of a measurement against all before it. */
  private static final double WEIGHT = 0.3;

  private long sent;
  private long lost;
  private double rate;
  private long counted;

  /** Takes what the connection has counted since it began. */
  void measured(PathFigures figures) {
    long packets = figures.sentPackets() - sent;
    if (packets < LEAST_PACKETS) {
      return;
    }
    double now = Math.clamp((double) (figures.lostPackets() - lost) / packets, 0.0, 1.0);
    rate = counted == 0 ? now : rate + WEIGHT * (now - rate);
    sent = figures.sentPackets();
    lost = figures.lostPackets();
    counted += packets;
  }

  /** Whether enough was sent to say anything. */
  boolean isKnown() {
    return counted > 0;
  }

  /** 0 to 1; 0 if nothing is known. */
  double rate() {
    return rate;
  }
}
