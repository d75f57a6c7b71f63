package io.hypersync.wire.transport;

/**
 * What a connection has measured of the network, since it began.
 *
 * @param rttNs the smoothed round-trip time, in nanoseconds
 * @param windowBytes how much may be on its way at once, by the congestion control
 * @param sentPackets packets that were sent, those that were sent again too
 * @param lostPackets how many of them count as lost
 */
public record PathFigures(long rttNs, long windowBytes, long sentPackets, long lostPackets) {}
