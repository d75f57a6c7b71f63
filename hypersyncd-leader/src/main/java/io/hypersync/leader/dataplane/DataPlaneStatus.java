package io.hypersync.leader.dataplane;

import io.hypersync.wire.message.ChunkDelivery;

/**
 * How chunks go to one worker.
 *
 * @param delivery streams or datagrams, for what is sent to it alone
 * @param isMulticast whether what is sent to all reaches it, so that little is sent to it alone
 * @param reason why, in words
 * @param loss share of packets to it that were lost lately, 0 to 1
 * @param rttNs round-trip time in nanoseconds; 0 if nothing was measured
 * @param quicWindowBytes what QUIC lets be on its way, unacknowledged; 0 if nothing was measured
 * @param windowBytes so much may be in datagrams that the worker has not told of
 * @param symbolBytes length of a symbol, in bytes; 0 if the worker takes no datagrams
 * @param onTheWay chunks in datagrams that the worker has not told of
 * @param onTheWayBytes what these are with their repair symbols
 * @param waitingBytes of chunks that wait until more may be on its way
 * @param backlogBytes symbols of incomplete chunks at the worker, as it says
 * @param pushed chunks that were sent unasked on this connection
 * @param refused chunks that were not, because too much was on its way
 */
public record DataPlaneStatus(
    ChunkDelivery delivery,
    boolean isMulticast,
    String reason,
    double loss,
    long rttNs,
    long quicWindowBytes,
    long windowBytes,
    int symbolBytes,
    int onTheWay,
    long onTheWayBytes,
    long waitingBytes,
    long backlogBytes,
    long pushed,
    long refused) {}
