package io.hypersync.leader.oplog.chronicle;

import io.hypersync.model.hash.Hash;
import java.nio.file.Path;
import java.util.List;

/**
 * The result of recovery.
 *
 * @param segments the segments that hold entries up to {@code durableIndex}, oldest first
 * @param obsolete published segments that hold no entry of the log any more
 * @param durableIndex the last entry that the log itself proves to have been durable
 * @param durableHash hash of that entry's record, {@link Hash#ZERO} if there is none
 * @param carried payloads of the valid entries after {@code durableIndex}: they are written again
 *     into the next segment. They may have been acknowledged, because only the following batch
 *     would have recorded that they are durable
 * @param lastSegmentEnd where the last of {@code segments} can be truncated once its tail has been
 *     carried over; 0 if that is not known, because its entries were not read
 */
record RecoveredLog(
    List<LogSegmentFile> segments,
    List<Path> obsolete,
    long durableIndex,
    Hash durableHash,
    List<byte[]> carried,
    long lastSegmentEnd) {}
