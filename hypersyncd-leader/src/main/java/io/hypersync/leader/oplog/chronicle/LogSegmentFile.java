package io.hypersync.leader.oplog.chronicle;

import io.hypersync.leader.oplog.OpLogCorruptException;
import io.hypersync.leader.oplog.RecordConsumer;
import java.io.IOException;
import java.nio.file.Path;

/**
 * The readable side of a published segment. Its file is opened for each call: readers come from
 * many threads and rarely, because the newest entries are served from memory. So a reader that has
 * opened it can finish although the segment is trimmed meanwhile.
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

  /** The same of a segment of which only the header was read. */
  LogSegmentFile unread() {
    return new LogSegmentFile(
        files, directory, sequence, firstIndex, segmentId, PositionIndex.unread());
  }

  /**
   * Delivers the entries from {@code from} to {@code to}, both in this segment and durable, until
   * {@code maxBytes} of payload have been delivered. Returns how many were, at least one.
   *
   * <p>The payload of an entry may have records in it: somebody has copied a log into the
   * workspace. A search may take those for the segment's own. So what it finds is believed only if
   * the entry that is wanted follows; otherwise the segment is read from its beginning.
   *
   * @throws java.nio.file.NoSuchFileException if the segment was trimmed; nothing was delivered
   */
  int read(long from, long to, long maxBytes, RecordConsumer consumer) throws IOException {
    int window =
        from == to ? SegmentScanner.POINT_WINDOW_BYTES : SegmentScanner.SEQUENTIAL_WINDOW_BYTES;
    long position = positions.isWhole() ? positions.floor(from) : search(from);
    boolean searched = !positions.isWhole() && position > 0;
    try (SegmentScanner scanner = SegmentScanner.open(files, file(), window)) {
      long bytes = 0;
      int count = 0;
      while (from + count <= to && (count == 0 || bytes < maxBytes)) {
        LogRecord record = scanner.entry(position, segmentId);
        long wanted = from + count;
        if (record == null || record.index() > wanted || (record.index() < wanted && count > 0)) {
          if (searched) {
            if (count > 0) {
              return count;
            }
            searched = false;
            position = 0;
            continue;
          }
          throw new OpLogCorruptException(
              wanted, file(), "a durable record cannot be read any more");
        }
        if (record.index() == wanted) {
          byte[] payload = record.payload();
          bytes += payload.length;
          count++;
          consumer.accept(wanted, payload);
        }
        position = record.end();
      }
      return count;
    }
  }

  /**
   * Finds where to start reading for an entry, by bisection: records are found from any position,
   * because their bytes carry the segment's id, and their indexes grow. Damaged records are passed
   * over. What it comes across is added to the samples, so that later searches are shorter.
   *
   * @return the position of a record that is not after the entry, and near it if its neighbours are
   *     intact; 0 if none was found
   */
  private long search(long index) throws IOException {
    try (SegmentScanner scanner =
        SegmentScanner.open(files, file(), SegmentScanner.POINT_WINDOW_BYTES)) {
      long low = positions.floor(index);
      long high = positions.above(index, scanner.size());
      while (high - low > PositionIndex.SAMPLE_EVERY_BYTES) {
        long middle = low + (high - low) / 2;
        LogRecord record = scanner.entry(middle, high, segmentId);
        if (record == null) {
          high = middle;
          continue;
        }
        positions.add(record.index(), record.position());
        if (record.index() <= index) {
          low = record.position();
        } else {
          high = middle;
        }
      }
      return low;
    }
  }
}
