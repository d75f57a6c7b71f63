package io.hypersync.leader.oplog.chronicle;

import io.hypersync.model.hash.Hash;
import io.hypersync.model.trie.RootVersion;
import java.io.IOException;
import java.util.List;

/**
 * The state of the log right after a segment was published.
 *
 * @param segment to be appended to
 * @param positions samples of the records that it holds
 * @param lastIndex the last index in the log; everything up to it is durable
 * @param lastHash hash of that entry's record
 */
record OpenSegment(
    SegmentAppender segment, PositionIndex positions, long lastIndex, Hash lastHash) {

  /**
   * Begins a segment and publishes it. The header and the carried records become durable before the
   * segment gets its name, so a crash at any point leaves either the old log or the new one; from
   * the publication on, older records from {@code firstIndex} on are void.
   *
   * @param roots of all entries in the log
   * @param previous hash of the record of {@code firstIndex - 1}
   * @param carried payloads of the entries from {@code firstIndex} on, to be written again
   */
  static OpenSegment begin(
      SegmentAppender segment,
      RootVersion roots,
      long firstIndex,
      Hash previous,
      List<byte[]> carried)
      throws IOException {
    long lastIndex = firstIndex - 1 + carried.size();
    segment.begin(roots, firstIndex, lastIndex, previous);
    PositionIndex positions = new PositionIndex();
    Hash hash = previous;
    long index = firstIndex;
    for (byte[] payload : carried) {
      hash = segment.append(index, firstIndex - 1, hash, payload);
      positions.add(index, segment.lastPosition());
      index++;
    }
    segment.sync();
    segment.publish();
    return new OpenSegment(segment, positions, lastIndex, hash);
  }
}
