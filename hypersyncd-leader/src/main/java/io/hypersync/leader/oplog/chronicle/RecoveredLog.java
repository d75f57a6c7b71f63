package io.hypersync.leader.oplog.chronicle;

import io.hypersync.model.hash.Hash;
import java.nio.file.Path;
import java.util.List;

/**
 * What recovery found.
 *
 * @param segments the segments that hold entries up to {@code durableIndex}, oldest first
 * @param obsolete published segments that hold nothing of the log any more
 * @param durableIndex the last entry that the log itself proves to have been durable
 * @param durableHash hash of that entry's record, {@link Hash#ZERO} if there is none
 * @param carried payloads of the valid entries after {@code durableIndex}: they are written again
 *     into the next segment. They may have been acknowledged, since the batch that followed would
 *     have been the first to say that they are durable
 * @param lastSegmentEnd where the last of {@code segments} can be cut once its tail has been
 *     carried over
 */
record RecoveredLog(
    List<SegmentFile> segments,
    List<Path> obsolete,
    long durableIndex,
    Hash durableHash,
    List<byte[]> carried,
    long lastSegmentEnd) {}
