package io.hypersync.leader.oplog.chronicle;

import org.jspecify.annotations.Nullable;

/**
 * An accepted entry on its way to who writes the log.
 *
 * @param acceptedAtNanos {@link System#nanoTime()} of the hand-over
 * @param rollTo the segment to begin with this entry, or null to stay in the current one
 */
record PendingEntry(
    long index,
    byte[] payload,
    boolean needsChunkSync,
    long acceptedAtNanos,
    @Nullable SegmentAppender rollTo) {}
