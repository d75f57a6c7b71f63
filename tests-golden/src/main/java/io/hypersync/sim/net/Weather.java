package io.hypersync.sim.net;

/**
 * How a network is when nothing is wrong with it.
 *
 * @param slowestUpNs the longest delay of a message of a worker; short ones are as likely
 * @param slowestDownNs the longest delay of a message of the leader
 * @param lossPercent of so many of a hundred messages a packet is lost, and sent again later
 * @param latestNoticeNs the longest time until an end notices that its connection is gone
 */
public record Weather(long slowestUpNs, long slowestDownNs, int lossPercent, long latestNoticeNs) {
  long slowestNs(Direction direction) {
    return switch (direction) {
      case UP -> slowestUpNs;
      case DOWN -> slowestDownNs;
    };
  }
}
