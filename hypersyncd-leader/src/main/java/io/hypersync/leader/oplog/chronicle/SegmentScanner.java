package io.hypersync.leader.oplog.chronicle;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Finds records in the raw bytes of a segment file by their magic and CRC32C. Chronicle's framing
 * is ignored: a crash may have torn it, and damage to one length word must not hide the records
 * after it. Single-threaded.
 */
final class SegmentScanner implements Closeable {
  /** Window for reading a whole segment. */
  static final int SEQUENTIAL_WINDOW_BYTES = 1 << 20;

  /** Window for reading a few records. */
  static final int POINT_WINDOW_BYTES = 32 << 10;

  private static final int STEP = 4; // Chronicle aligns its documents to four bytes

  private final LogFiles.Bytes bytes;
  private final ByteWindow window;

  /** Takes ownership of {@code bytes} and closes it. */
  SegmentScanner(LogFiles.Bytes bytes, int windowBytes) throws IOException {
    this.bytes = bytes;
    this.window = new ByteWindow(bytes, windowBytes);
  }

  /** Opens a segment's file, to be closed with the scanner. */
  static SegmentScanner open(LogFiles files, Path file, int windowBytes) throws IOException {
    LogFiles.Bytes bytes = files.open(file);
    try {
      return new SegmentScanner(bytes, windowBytes);
    } catch (IOException | RuntimeException e) {
      try (bytes) {
        throw e;
      }
    }
  }

  /** The size of the file in bytes when it was opened. */
  long size() {
    return window.size();
  }

  /** The first segment header with that sequence number before position {@code limit}, or null. */
  @Nullable LogRecord header(long sequence, long limit) throws IOException {
    long position = 0;
    while (true) {
      LogRecord found = next(position, limit, RecordKind.SEGMENT_HEADER, null);
      if (found == null) {
        return null;
      }
      if (RecordCodec.hasHeaderLength(found.bytes())
          && RecordCodec.segmentSequence(found.bytes()) == sequence) {
        return found;
      }
      position = found.end();
    }
  }

  /** The first entry of that segment at or after a position (a multiple of 4), or null. */
  @Nullable LogRecord entry(long position, long segmentId) throws IOException {
    return next(position, window.size(), RecordKind.ENTRY, segmentId);
  }

  /** The same, if it begins before position {@code limit}. */
  @Nullable LogRecord entry(long position, long limit, long segmentId) throws IOException {
    return next(position, limit, RecordKind.ENTRY, segmentId);
  }

  /** The first record of that segment of any kind at or after a position, or null. */
  @Nullable LogRecord record(long position, long segmentId) throws IOException {
    return next(position, window.size(), null, segmentId);
  }

  /**
   * Where the next batch begins after a record that ends at {@code end}: after a {@linkplain
   * SegmentLayout filler}, if there is one.
   */
  long behindFiller(long end) throws IOException {
    long position = SegmentLayout.alignUp(end, STEP);
    if (position % SegmentLayout.PAGE_BYTES == 0) {
      return position;
    }
    int at = window.locate(position, STEP);
    boolean fills =
        at >= 0
            && Integer.reverseBytes(RecordCodec.magic(window.bytes(), at))
                == SegmentLayout.fillerWord(position);
    return fills ? SegmentLayout.alignUp(position, SegmentLayout.PAGE_BYTES) : end;
  }

  /** The position after the last nonzero byte of the file; at least {@code from}. */
  long endOfData(long from) throws IOException {
    long end = from;
    long position = from;
    byte[] zeros = new byte[0];
    while (position < window.size()) {
      int at = window.locate(position, 1);
      if (at < 0) {
        break;
      }
      int valid = window.validFrom(at);
      byte[] bytes = window.bytes();
      if (zeros.length < valid) {
        zeros = new byte[valid];
      }
      // Most bytes are zeros, which a bulk comparison skips quickly.
      if (!Arrays.equals(bytes, at, at + valid, zeros, 0, valid)) {
        int i = valid - 1;
        while (bytes[at + i] == 0) {
          i--;
        }
        end = position + i + 1;
      }
      position += valid;
    }
    return end;
  }

  private @Nullable LogRecord next(
      long from, long limit, @Nullable RecordKind kind, @Nullable Long segmentId)
      throws IOException {
    long position = SegmentLayout.alignUp(from, STEP);
    while (position < limit) {
      position = findMagic(position, limit);
      if (position < 0) {
        return null;
      }
      LogRecord record = recordAt(position, kind, segmentId);
      if (record != null) {
        return record;
      }
      position += STEP;
    }
    return null;
  }

  private long findMagic(long from, long limit) throws IOException {
    long position = from;
    while (position < limit) {
      int at = window.locate(position, STEP);
      if (at < 0) {
        return -1;
      }
      byte[] bytes = window.bytes();
      int end = at + window.validFrom(at) - STEP;
      for (int i = at; i <= end; i += STEP) {
        if (RecordCodec.magic(bytes, i) == RecordCodec.MAGIC) {
          return position + (i - at);
        }
      }
      position += (end - at) / STEP * STEP + STEP;
    }
    return -1;
  }

  private @Nullable LogRecord recordAt(
      long position, @Nullable RecordKind kind, @Nullable Long segmentId) throws IOException {
    int at = window.locate(position, RecordCodec.HEADER_BYTES);
    if (at < 0 || !RecordCodec.looksLikeRecord(window.bytes(), at)) {
      return null;
    }
    // Cheap tests before the CRC: a payload may be full of bytes that look like records.
    if ((kind != null && RecordCodec.kind(window.bytes(), at) != kind)
        || (segmentId != null && RecordCodec.segmentId(window.bytes(), at) != segmentId)) {
      return null;
    }
    int payloadLength = RecordCodec.payloadLength(window.bytes(), at);
    if (payloadLength < 0 || payloadLength > window.size() - position - RecordCodec.HEADER_BYTES) {
      return null;
    }
    int length = RecordCodec.recordBytes(payloadLength);
    at = window.locate(position, length);
    if (at < 0 || !RecordCodec.crcMatches(window.bytes(), at, length)) {
      return null;
    }
    byte[] bytes = new byte[length];
    System.arraycopy(window.bytes(), at, bytes, 0, length);
    return new LogRecord(position, bytes);
  }

  @Override
  public void close() throws IOException {
    bytes.close();
  }
}
