package io.hypersync.chunkstore.disk;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.chunkstore.disk.SegmentWriter.Written;
import io.hypersync.model.errno.Errno;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.NavigableMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads what was appended after the last checkpoint, when a store is opened.
 *
 * <p>A sync covers everything before it, so what follows a record that is not whole was never
 * synced: the scan of a segment may end at the first header that is not there. Bytes that do not
 * hash to what a whole header says are passed over, since a disk can spoil them later, too.
 */
final class SegmentScan {
  private static final Logger LOG = LoggerFactory.getLogger(SegmentScan.class);

  private final SegmentFiles files;
  private final NavigableMap<Integer, Long> lengths;
  private final Consumer<Written> found;

  /** Where the records of the newest segment end, and whether its bytes do. */
  record End(Mark mark, boolean clean) {}

  SegmentScan(SegmentFiles files, NavigableMap<Integer, Long> lengths, Consumer<Written> found) {
    this.files = files;
    this.lengths = lengths;
    this.found = found;
  }

  /**
   * Reads all records from there on.
   *
   * @param from a place that is in or before the newest segment
   * @throws ChunkStoreException {@link Errno#EIO} if segments that were synced are gone
   */
  End run(Mark from) throws IOException {
    Mark end = from;
    long length = lengths.getOrDefault(from.segment(), 0L);
    if (length < from.offset()) {
      throw new ChunkStoreException(
          Errno.EIO,
          "segment %d of the chunk store has %d bytes of the %d that it had: restore it"
              .formatted(from.segment(), length, from.offset()));
    }
    for (Map.Entry<Integer, Long> next : lengths.tailMap(from.segment()).entrySet()) {
      int segment = next.getKey();
      length = next.getValue();
      end = scan(segment, segment == from.segment() ? from.offset() : 0, length);
      if (end.offset() < length) {
        LOG.warn(
            "the last {} bytes of segment {} are not whole: a crash has left them, unsynced",
            length - end.offset(),
            segment);
      }
    }
    return new End(end, end.offset() == length);
  }

  private Mark scan(int segment, int from, long length) throws IOException {
    ByteBuffer header = ByteBuffer.allocate(SegmentRecord.HEADER_BYTES);
    int at = from;
    while (at + (long) SegmentRecord.HEADER_BYTES <= length) {
      header.clear();
      files.read(segment, header, at);
      SegmentRecord record = SegmentRecord.readHeader(header.flip(), segment, at);
      int bytesAt = at + SegmentRecord.HEADER_BYTES;
      if (record == null || bytesAt + (long) record.length() > length) {
        break;
      }
      byte[] bytes = new byte[record.length()];
      files.read(segment, ByteBuffer.wrap(bytes), bytesAt);
      Chunk chunk = new Chunk(record.hash(), bytes);
      if (chunk.isIntact()) {
        found.accept(new Written(chunk.hash(), new Place(bytes.length, segment, bytesAt)));
      } else {
        LOG.warn("chunk {} in segment {} is damaged and passed over", chunk.hash(), segment);
      }
      at = bytesAt + bytes.length;
    }
    return new Mark(segment, at);
  }
}
