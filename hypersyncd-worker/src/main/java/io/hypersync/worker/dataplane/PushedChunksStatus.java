package io.hypersync.worker.dataplane;

/**
 * What has come of chunks that the leader has sent unasked, since the worker's start.
 *
 * @param decoded chunks that came in datagrams
 * @param asked chunks that did not come, and were asked for
 * @param notDecoded chunks whose symbols were not enough, or not right
 * @param backlogBytes symbols of chunks that are not complete, and chunks that are being stored
 * @param rejectedSymbols symbols that cannot be of any chunk
 * @param surplusSymbols symbols that came twice, or after their chunk was complete
 * @param droppedChunks chunks whose symbols made room for others
 */
public record PushedChunksStatus(
    long decoded,
    long asked,
    long notDecoded,
    long backlogBytes,
    long rejectedSymbols,
    long surplusSymbols,
    long droppedChunks) {}
