package io.hypersync.leader.oplog.chronicle;

import org.jspecify.annotations.Nullable;

/**
 * An accepted entry in the writer's queue.
 *
 * @param acceptedAtNanos when it was handed over, by the log's clock
 * @param rollTo the segment to begin with this entry, or null to stay in the current one
 */
record PendingEntry(
    long index,
    byte[] payload,
    boolean needsChunkSync,
    long acceptedAtNanos,
    @Nullable SegmentAppender rollTo) {}
