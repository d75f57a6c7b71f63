package io.hypersync.leader.oplog;

/**
 * One group commit (hypersync.md 6.3.1, telemetry).
 *
 * @param lastIndex the durable index that this batch established
 * @param ops entries in the batch, at least 1
 * @param payloadBytes sum of the payload lengths
 * @param latencyNanos from the hand-over of the first entry until the batch was durable
 * @param syncedChunks whether the batch also waited for {@link ChunkSync}
 */
public record CommittedBatch(
    long lastIndex, int ops, long payloadBytes, long latencyNanos, boolean syncedChunks) {}
