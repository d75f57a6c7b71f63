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
  private final Again again;

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
   * @param again what to do with each intact record
   */
  SegmentScan(SegmentFiles files, int segment, long length, Again again) {
    this.files = files;
    this.segment = segment;
    this.length = Math.toIntExact(length);
    this.again = again;
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
      end = take(at, written);
      at = find(end);
    }
    return new Portion(written, end, at < length);
  }

  /** Takes the record that begins there; returns where it ends. */
  private int take(int at, List<Written> written) throws IOException {
    SegmentRecord header = header(at);
    int end = at + SegmentRecord.HEADER_BYTES + header.length();
    ByteBuffer record = ByteBuffer.allocate(end - at);
    try {
      read(record, at);
    } catch (IOException e) {
      LOG.warn(
          "chunk {} in segment {} cannot be read and is passed over", header.hash(), segment, e);
      return end;
    }
    byte[] bytes = new byte[header.length()];
    record.get(SegmentRecord.HEADER_BYTES, bytes);
    Chunk chunk = new Chunk(header.hash(), bytes);
    if (chunk.isIntact()) {
      again.record(record, at);
      Place place = new Place(bytes.length, segment, at + SegmentRecord.HEADER_BYTES);
      written.add(new Written(chunk.hash(), place));
    } else {
      LOG.warn("chunk {} in segment {} is damaged and passed over", chunk.hash(), segment);
    }
    return end;
  }

  /** The next place where a record begins that is not longer than the segment; else its end. */
  private int find(int from) throws IOException {
    int at = from;
    while (length - at >= SegmentRecord.HEADER_BYTES) {
      ByteBuffer window =
          ByteBuffer.allocate(
              Math.min(length - at, at == from ? SegmentRecord.HEADER_BYTES : SEARCHED_BYTES));
      read(window, at);
      while (window.remaining() >= SegmentRecord.HEADER_BYTES) {
        int here = at + window.position();
        if (SegmentRecord.mayBegin(window)) {
          SegmentRecord record = SegmentRecord.readHeader(window.duplicate(), segment, here);
          if (record != null && record.length() <= length - here - SegmentRecord.HEADER_BYTES) {
            return here;
          }
        }
        window.position(window.position() + 1);
      }
      at += window.position();
    }
    return length;
  }

  private SegmentRecord header(int at) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(SegmentRecord.HEADER_BYTES);
    read(bytes, at);
    SegmentRecord header = SegmentRecord.readHeader(bytes, segment, at);
    if (header == null) {
      throw new IOException("segment " + segment + " reads differently a second time");
    }
    return header;
  }

  /** Fills the buffer, which is to be read then. */
  private void read(ByteBuffer into, int at) throws IOException {
    files.read(segment, into, at);
    if (into.hasRemaining()) {
      throw new IOException("segment " + segment + " became shorter while it was read");
    }
    into.flip();
  }

  /** Told of each intact record, as it was read, before it counts. */
  @FunctionalInterface
  interface Again {
    /** The record is in the buffer, whole, and at this place of the segment. */
    void record(ByteBuffer record, int at) throws IOException;
  }
}
