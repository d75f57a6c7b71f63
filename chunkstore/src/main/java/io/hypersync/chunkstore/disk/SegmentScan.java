package io.hypersync.chunkstore.disk;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.chunkstore.disk.SegmentWriter.Written;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the records of one segment, a portion at a time.
 *
 * <p>Nothing that is whole is left out. Where no record begins, the next one is searched for: a
 * crash can leave such a place, and so can a disk that spoils a header. Whatever is found is what
 * its hash says, so it does not matter why it is there.
 */
final class SegmentScan {
  private static final Logger LOG = LoggerFactory.getLogger(SegmentScan.class);
  private static final int PORTION_BYTES = 16 << 20;
  private static final int PORTION_RECORDS = 1 << 16;
  private static final int SEARCHED_BYTES = 64 << 10;

  private final SegmentFiles files;
  private final int segment;
  private final int length;

  /**
   * Some records.
   *
   * @param written the intact ones
   * @param end where the next portion begins; behind the last record, if this is the last portion
   * @param more whether there is another one
   */
  record Portion(List<Written> written, int end, boolean more) {}

  /**
   * A scan.
   *
   * @param length of the segment, bytes
   */
  SegmentScan(SegmentFiles files, int segment, long length) {
    this.files = files;
    this.segment = segment;
    this.length = Math.toIntExact(length);
  }

  /** The records from there on, which is where one begins or none does. */
  Portion next(int from) throws IOException {
    List<Written> written = new ArrayList<>();
    int end = from;
    int at = find(from);
    while (at < length && end - from < PORTION_BYTES && written.size() < PORTION_RECORDS) {
      if (at > end) {
        LOG.warn(
            "segment {} has no record in the {} bytes from {} on: a crash has left them, unsynced,"
                + " or the disk has spoilt a header",
            segment,
            at - end,
            end);
      }
      end = read(at, written);
      at = find(end);
    }
    return new Portion(written, end, at < length);
  }

  /** Reads the record that begins there; returns where it ends. */
  private int read(int at, List<Written> written) throws IOException {
    SegmentRecord record = header(at);
    int bytesAt = at + SegmentRecord.HEADER_BYTES;
    byte[] bytes = new byte[record.length()];
    files.read(segment, ByteBuffer.wrap(bytes), bytesAt);
    Chunk chunk = new Chunk(record.hash(), bytes);
    if (chunk.isIntact()) {
      written.add(new Written(chunk.hash(), new Place(bytes.length, segment, bytesAt)));
    } else {
      LOG.warn("chunk {} in segment {} is damaged and passed over", chunk.hash(), segment);
    }
    return bytesAt + bytes.length;
  }

  /** The next place where a record begins that is not longer than the segment; else its end. */
  private int find(int from) throws IOException {
    int at = from;
    while (length - at >= SegmentRecord.HEADER_BYTES) {
      ByteBuffer window =
          ByteBuffer.allocate(
              Math.min(length - at, at == from ? SegmentRecord.HEADER_BYTES : SEARCHED_BYTES));
      files.read(segment, window, at);
      window.flip();
      while (window.remaining() >= SegmentRecord.HEADER_BYTES) {
        int here = at + window.position();
        SegmentRecord record = SegmentRecord.readHeader(window.duplicate(), segment, here);
        if (record != null && record.length() <= length - here - SegmentRecord.HEADER_BYTES) {
          return here;
        }
        window.get();
      }
      at += window.position();
    }
    return length;
  }

  private SegmentRecord header(int at) throws IOException {
    ByteBuffer header = ByteBuffer.allocate(SegmentRecord.HEADER_BYTES);
    files.read(segment, header, at);
    SegmentRecord record = SegmentRecord.readHeader(header.flip(), segment, at);
    if (record == null) {
      throw new IOException("segment " + segment + " reads differently a second time");
    }
    return record;
  }
}
