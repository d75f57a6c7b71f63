package io.hypersync.worker.port;

/**
 * What a collection of a worker has found and done.
 *
 * @param evicted whether chunks of the visible state were to be removed, too
 * @param liveBytes what is kept, in bytes
 * @param deadBytes the rest, before the sweep
 * @param freedBytes by how much the store has become smaller
 * @param chunksRemoved how many chunks are gone
 * @param unreadable living chunks that could not be read when they were to be copied
 * @param storeBytes what the store takes afterwards
 * @param tookNs how long it took
 */
public record CacheReport(
    boolean evicted,
    long liveBytes,
    long deadBytes,
    long freedBytes,
    long chunksRemoved,
    long unreadable,
    long storeBytes,
    long tookNs) {}
