package io.hypersync.sim.net;

/**
 * Properties of the network while no fault is active.
 *
 * @param slowestUpNs the longest delay of a message to the leader; small delays are as likely as
 *     large ones
 * @param slowestDownNs the longest delay of a message to the worker
 * @param lossPercent probability that the packet of a message is lost and retransmitted
 * @param latestNoticeNs the longest time until an end notices that its connection is broken
 */
public record NetworkProfile(
    long slowestUpNs, long slowestDownNs, int lossPercent, long latestNoticeNs) {
  long slowestNs(Direction direction) {
    return switch (direction) {
      case UP -> slowestUpNs;
      case DOWN -> slowestDownNs;
    };
  }
}
