package io.hypersync.leader.dataplane;

/**
 * What the leader sends to all workers at once.
 *
 * @param told connected workers that know the group
 * @param hearing those of them that hear what is sent
 * @param worstLoss the largest share of packets that one of these loses, 0 to 1
 * @param waitingBytes of chunks that wait until the rate allows more
 * @param chunks that were taken for all, since the start
 * @param packets that were sent with symbols, since the start
 * @param bytes of these
 * @param refused chunks for which there was no room
 */
public record MulticastStatus(
    int told,
    int hearing,
    double worstLoss,
    long waitingBytes,
    long chunks,
    long packets,
    long bytes,
    long refused) {}
