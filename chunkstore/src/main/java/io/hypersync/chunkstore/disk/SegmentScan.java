package io.hypersync.chunkstore.disk;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.chunkstore.disk.SegmentWriter.Written;
import io.hypersync.model.hash.Hash;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the records of one segment, one portion at a time.
 *
 * <p>Every complete record is found. Where no record starts, the next one is searched for: a crash
 * can leave such a gap, and so can a disk that corrupts a header. The hash of a record verifies its
 * bytes, so it does not matter how it came to be there.
 */
final class SegmentScan {
  private static final Logger LOG = LoggerFactory.getLogger(SegmentScan.class);
  private static final int PORTION_BYTES = 16 << 20;
  private static final int PORTION_RECORDS = 1 << 16;
  private static final int SEARCHED_BYTES = 64 << 10;

  private final ChunkSegmentFiles files;
  private final int segment;
  private final int length;
  private final Again again;

  /**
   * A part of the segment.
   *
   * @param written the intact records
   * @param end where the next portion starts; in the last portion, the offset after the last record
   *     and its padding
   * @param more whether there is another portion
   */
  record Portion(List<Written> written, int end, boolean more) {}

  /** A complete header and its offset. */
  private record Found(int at, SegmentRecord header) {
    int end() {
      return at + SegmentRecord.HEADER_BYTES + header.length();
    }
  }

  /**
   * Prepares a scan; nothing is read yet.
   *
   * @param length of the segment, in bytes
   * @param again called for each intact record
   */
  SegmentScan(ChunkSegmentFiles files, int segment, long length, Again again) {
    this.files = files;
    this.segment = segment;
    this.length = Math.toIntExact(length);
    this.again = again;
  }

  /**
   * Reads the records from this offset on.
   *
   * @param from the start of a record, or an offset at which no record starts
   */
  Portion next(int from) throws IOException {
    List<Written> written = new ArrayList<>();
    int end = afterPadding(from);
    Found next = find(end);
    while (next != null && end - from < PORTION_BYTES && written.size() < PORTION_RECORDS) {
      if (next.at > end) {
        LOG.warn(
            "segment {} has no record in the {} bytes from {} on: a crash has left them, unsynced,"
                + " or the disk has spoilt a header",
            segment,
            next.at - end,
            end);
      }
      Found taken = next;
      if (take(taken, written)) {
        end = afterPadding(taken.end());
        next = find(end);
      } else {
        next = find(taken.at + 1);
        end = next == null ? taken.end() : Math.min(taken.end(), next.at);
      }
    }
    return new Portion(written, end, next != null);
  }

  /**
   * Adds the record to {@code written} if it is intact.
   *
   * @return whether to continue after this record; if not, the search continues within it. A
   *     damaged record can be the start of one that a full disk cut off, with other records written
   *     over the rest of its range
   */
  private boolean take(Found found, List<Written> written) throws IOException {
    Hash hash = found.header.hash();
    ByteBuffer record = ByteBuffer.allocate(found.end() - found.at);
    try {
      read(record, found.at);
    } catch (IOException e) {
      LOG.warn("chunk {} in segment {} cannot be read and is passed over", hash, segment, e);
      return true;
    }
    byte[] bytes = new byte[found.header.length()];
    record.get(SegmentRecord.HEADER_BYTES, bytes);
    if (!new Chunk(hash, bytes).isIntact()) {
      LOG.warn("chunk {} in segment {} is damaged and passed over", hash, segment);
      return false;
    }
    again.record(record, found.at);
    int bytesAt = found.at + SegmentRecord.HEADER_BYTES;
    written.add(new Written(hash, new ChunkLocation(bytes.length, segment, bytesAt)));
    return true;
  }

  /** The offset at which padding that starts here ends; the same offset if there is none. */
  private int afterPadding(int at) throws IOException {
    ByteBuffer padding = ByteBuffer.allocate(Math.min(length, SegmentRecord.afterPadding(at)) - at);
    read(padding, at);
    while (padding.hasRemaining()) {
      if (padding.get() != 0) {
        return at;
      }
    }
    return at + padding.position();
  }

  /** The next header whose record fits into the segment, or null. */
  private @Nullable Found find(int from) throws IOException {
    int at = from;
    while (length - at >= SegmentRecord.HEADER_BYTES) {
      ByteBuffer window =
          ByteBuffer.allocate(
              Math.min(length - at, at == from ? SegmentRecord.HEADER_BYTES : SEARCHED_BYTES));
      read(window, at);
      while (window.remaining() >= SegmentRecord.HEADER_BYTES) {
        int here = at + window.position();
        if (SegmentRecord.mayBegin(window)) {
          SegmentRecord header = SegmentRecord.readHeader(window.duplicate(), segment, here);
          if (header != null && header.length() <= length - here - SegmentRecord.HEADER_BYTES) {
            return new Found(here, header);
          }
        }
        window.position(window.position() + 1);
      }
      at += window.position();
    }
    return null;
  }

  /** Fills the buffer and flips it. */
  private void read(ByteBuffer into, int at) throws IOException {
    files.read(segment, into, at);
    if (into.hasRemaining()) {
      throw new IOException("segment " + segment + " became shorter while it was read");
    }
    into.flip();
  }

  /** Receives each intact record before it is reported as written. */
  @FunctionalInterface
  interface Again {
    /**
     * Called with the complete record, header included.
     *
     * @param at its offset in the segment
     */
    void record(ByteBuffer record, int at) throws IOException;
  }
}
