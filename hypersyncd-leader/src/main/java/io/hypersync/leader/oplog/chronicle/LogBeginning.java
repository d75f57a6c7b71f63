package io.hypersync.leader.oplog.chronicle;

import io.hypersync.model.hash.Hash;
import io.hypersync.model.trie.RootVersion;
import io.hypersync.runtime.file.DurableFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * Begins a log behind an entry that it never had: one segment without entries, as a log has that
 * was trimmed up to its newest entry. Its header says that all entries before it were durable, and
 * begins the chain of hashes with zeros.
 */
public final class LogBeginning {
  /** Chronicle needs more room than a header takes. */
  private static final int SEGMENT_BYTES = 256 << 10;

  private LogBeginning() {}

  /**
   * Writes it; durable on return.
   *
   * @param directory of the log; does not exist yet, or is empty
   * @param roots the version of the roots of all entries to come
   * @param firstIndex the index that the first entry will have, at least 1
   * @throws IOException if the disk fails, or has no room for a segment
   */
  public static void write(Path directory, RootVersion roots, long firstIndex) throws IOException {
    DurableFiles.createDirectories(directory, DurableFiles.OWNER_ONLY_DIRECTORY);
    try (SegmentAppender segment =
        SegmentAppender.prepare(directory, 1, SEGMENT_BYTES, SegmentWrite.DSYNC, () -> false)) {
      var _ = OpenSegment.begin(segment, roots, firstIndex, Hash.ZERO, List.of());
      SyncedFileOps.shrink(segment.file(), SegmentLayout.sealedBytes(segment.end()));
    }
    DurableFiles.syncDirectory(directory);
  }
}
