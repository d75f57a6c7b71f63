package io.hypersync.leader.oplog.chronicle;

import io.hypersync.leader.oplog.OpLogCorruptException;
import io.hypersync.leader.oplog.RecordConsumer;
import java.io.IOException;
import java.nio.file.Path;

/**
 * The readable side of a published segment. Its file is opened for each call: readers come from
 * many threads and rarely, because the newest entries are served from memory.
 *
 * @param files the files of the log
 * @param directory the published directory
 * @param sequence its sequence number
 * @param firstIndex the first index that the segment may hold
 * @param segmentId the id that its records carry
 * @param positions samples of record positions
 */
record LogSegmentFile(
    LogFiles files,
    Path directory,
    long sequence,
    long firstIndex,
    long segmentId,
    PositionIndex positions) {

  /** The file with the records. */
  Path file() {
    return directory.resolve(SegmentLayout.CYCLE_FILE);
  }

  /**
   * Delivers the entries from {@code from} to {@code to}, both in this segment and durable, until
   * {@code maxBytes} of payload have been delivered. Returns how many were, at least one.
   */
  int read(long from, long to, long maxBytes, RecordConsumer consumer) throws IOException {
    int window =
        from == to ? SegmentScanner.POINT_WINDOW_BYTES : SegmentScanner.SEQUENTIAL_WINDOW_BYTES;
    try (SegmentScanner scanner = new SegmentScanner(files.open(file()), window)) {
      long position = positions.floor(from);
      long expected = -1;
      long bytes = 0;
      int count = 0;
      while (from + count <= to && (count == 0 || bytes < maxBytes)) {
        LogRecord record = scanner.entry(position, segmentId);
        if (record == null
            || (expected >= 0 ? record.index() != expected : record.index() > from)) {
          throw new OpLogCorruptException(
              Math.max(expected, from), file(), "a durable record cannot be read any more");
        }
        if (record.index() >= from) {
          byte[] payload = record.payload();
          bytes += payload.length;
          count++;
          consumer.accept(record.index(), payload);
        }
        expected = record.index() + 1;
        position = record.end();
      }
      return count;
    }
  }
}
