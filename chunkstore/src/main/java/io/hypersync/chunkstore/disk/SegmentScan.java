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
   * @param end where the next portion begins; behind the last record and its padding, if this is
   *     the last portion
   * @param more whether there is another one
   */
  record Portion(List<Written> written, int end, boolean more) {}

  /** A whole header, and where it is. */
  private record Found(int at, SegmentRecord header) {
    int end() {
      return at + SegmentRecord.HEADER_BYTES + header.length();
    }
  }

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
   * Enters what is intact.
   *
   * @return whether the next record is behind this one. What is damaged can be the beginning of a
   *     record that a full disk has cut off, with others that were written behind that beginning
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
    written.add(new Written(hash, new Place(bytes.length, segment, bytesAt)));
    return true;
  }

  /** Where padding that begins here ends; the same place if none does. */
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

  /** The next record that is not longer than the segment. */
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
