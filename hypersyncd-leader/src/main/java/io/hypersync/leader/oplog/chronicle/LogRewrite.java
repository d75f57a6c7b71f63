package io.hypersync.leader.oplog.chronicle;

import io.hypersync.model.hash.Hash;
import io.hypersync.model.trie.RootVersion;
import io.hypersync.runtime.file.DurableFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes a whole log into a directory of its own, segment by segment, on the calling thread. A
 * segment is durable before it gets its name, and its header says so of all its entries. Nobody
 * else may use the directory meanwhile.
 */
public final class LogRewrite {
  /** A segment is written once this much payload has been collected. */
  private static final int SEGMENT_PAYLOAD_BYTES = 32 << 20;

  /** Chronicle needs more room than a few small entries take. */
  private static final int LEAST_SEGMENT_BYTES = 256 << 10;

  private final Path directory;
  private final RootVersion roots;
  private final int segmentPayloadBytes;
  private final List<byte[]> collected = new ArrayList<>();
  private long collectedBytes;
  private long writtenIndex;
  private Hash lastHash = Hash.ZERO;
  private long sequence = 1;

  /**
   * Creates the directory.
   *
   * @param directory does not exist yet, or is empty
   * @param roots the version of the entries' roots
   */
  public LogRewrite(Path directory, RootVersion roots) throws IOException {
    this(directory, roots, SEGMENT_PAYLOAD_BYTES);
  }

  LogRewrite(Path directory, RootVersion roots, int segmentPayloadBytes) throws IOException {
    this.directory = directory;
    this.roots = roots;
    this.segmentPayloadBytes = segmentPayloadBytes;
    DurableFiles.createDirectories(directory, DurableFiles.OWNER_ONLY_DIRECTORY);
  }

  /**
   * Appends the next entry, entry 1 first. It may be kept in memory until {@link #finish}.
   *
   * @throws IOException if the disk fails, or has no room for another segment
   */
  public void append(byte[] payload) throws IOException {
    collected.add(payload);
    collectedBytes += payload.length;
    if (collectedBytes >= segmentPayloadBytes) {
      writeSegment();
    }
  }

  /** Writes what is left; the log is complete and on stable storage on return. */
  public void finish() throws IOException {
    if (!collected.isEmpty()) {
      writeSegment();
    }
  }

  private void writeSegment() throws IOException {
    int bytes = Math.max(SegmentLayout.segmentBytesFor(collected), LEAST_SEGMENT_BYTES);
    try (SegmentAppender segment =
        SegmentAppender.prepare(directory, sequence, bytes, SegmentWrite.DSYNC, () -> false)) {
      OpenSegment written =
          OpenSegment.begin(segment, roots, writtenIndex + 1, lastHash, collected);
      writtenIndex = written.lastIndex();
      lastHash = written.lastHash();
      SyncedFileOps.shrink(segment.file(), SegmentLayout.sealedBytes(segment.end()));
    }
    sequence++;
    collected.clear();
    collectedBytes = 0;
  }
}
