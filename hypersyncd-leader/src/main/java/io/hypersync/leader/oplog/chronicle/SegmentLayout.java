package io.hypersync.leader.oplog.chronicle;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Names and sizes of a segment on disk.
 *
 * <pre>
 * segment-000000000000002a/      published: its header record is durable
 *   19700101F.cq4                the records, inside Chronicle's framing
 *   metadata.cq4t                Chronicle's locks and directory listing; recovery never reads it
 * reserve-000000000000002b       empty, see {@link #placeholder}
 * spare-000000000000002b/        being prepared, prepared and not yet used, or withdrawn to be deleted;
 *                                worthless after a crash
 * </pre>
 *
 * <pre>
 * 19700101F.cq4
 * 0            8 KiB and a bit                       segmentBytes    + a quarter
 * +------------+---------------------------+---------+---------------+
 * | Chronicle  | documents: 4-byte word    | zeros,  | hole, never   |
 * | header and | (little-endian length),   | written | touched       |
 * | index      | record, padding to 4      | ahead   |               |
 * +------------+---------------------------+---------+---------------+
 * </pre>
 */
final class SegmentLayout {
  /** The file of Chronicle's cycle 0, which is the only one that a segment ever has. */
  static final String CYCLE_FILE = "19700101F.cq4";

  static final String METADATA_FILE = "metadata.cq4t";

  /** Chronicle maps two 64 KiB windows of its metadata file. */
  static final int METADATA_BYTES = 128 << 10;

  static final int PAGE_BYTES = 4096;

  /** More than a file system takes for a directory, the names in it, and an empty file. */
  private static final int DIRECTORY_BYTES = 8 * PAGE_BYTES;

  /** Entries of one Chronicle index array; small, because nothing is ever found through it. */
  static final int CHRONICLE_INDEX_COUNT = 512;

  /** Every how many documents Chronicle would write an index entry. */
  static final int CHRONICLE_INDEX_SPACING = 4096;

  /** Chronicle's file header and index of indexes come before this position. */
  static final int FIRST_RECORD_BEFORE = 16 << 10;

  /** What Chronicle puts before each document: its length. */
  static final int DOCUMENT_WORD_BYTES = 4;

  private static final Pattern PUBLISHED = Pattern.compile("segment-([0-9a-f]{16})");

  private SegmentLayout() {}

  /** Directory of a published segment. */
  static Path published(Path logDirectory, long sequence) {
    return logDirectory.resolve(String.format("segment-%016x", sequence));
  }

  /** Directory of a segment under preparation, or of one that was withdrawn and is deleted. */
  static Path spare(Path logDirectory, long sequence) {
    return logDirectory.resolve(String.format("spare-%016x", sequence));
  }

  /**
   * An empty file that keeps a place in the log's directory for the published name, which is as
   * long: on a full disk a rename could fail for want of a block for the new name.
   */
  static Path placeholder(Path logDirectory, long sequence) {
    return logDirectory.resolve(String.format("reserve-%016x", sequence));
  }

  /** Whether the path belongs to an unpublished segment. */
  static boolean isUnpublished(Path path) {
    String name = path.getFileName().toString();
    return name.startsWith("spare-") || name.startsWith("reserve-");
  }

  /** The sequence number in the name of a published segment, or -1 if it is none. */
  static long sequenceOf(Path directory) {
    Matcher matcher = PUBLISHED.matcher(directory.getFileName().toString());
    return matcher.matches() ? Long.parseUnsignedLong(matcher.group(1), 16) : -1;
  }

  /** What one record takes in the file. */
  static long documentBytes(int payloadBytes) {
    return alignUp(DOCUMENT_WORD_BYTES + (long) RecordCodec.recordBytes(payloadBytes), 4);
  }

  /**
   * Bytes that documents with entries may take in a segment: all but what Chronicle writes into a
   * new file, the segment header, and a page behind the last record, because a tailer looks for the
   * next document.
   */
  static long roomForEntries(int segmentBytes) {
    return segmentBytes
        - FIRST_RECORD_BEFORE
        - documentBytes(RecordCodec.SEGMENT_HEADER_PAYLOAD_BYTES)
        - PAGE_BYTES;
  }

  /** Chronicle reads documents up to its mapping overlap, which is a quarter of the block. */
  static int maxPayloadBytes(int segmentBytes) {
    return overlapBytes(segmentBytes) - PAGE_BYTES;
  }

  /** The size of a segment that takes these entries. */
  static int segmentBytesFor(List<byte[]> payloads) {
    long documents = 0;
    int largest = 0;
    for (byte[] payload : payloads) {
      documents += documentBytes(payload.length);
      largest = Math.max(largest, payload.length);
    }
    long overhead = 2L * FIRST_RECORD_BEFORE;
    long bytes = Math.max(documents + overhead, 4L * (largest + overhead));
    return Math.toIntExact(alignUp(bytes, 64 << 10));
  }

  /** The hole behind the segment: part of a mapping by Chronicle, never written. */
  static int overlapBytes(int segmentBytes) {
    return segmentBytes / 4;
  }

  /** What a new segment takes of the disk; a little more than its files, for their names. */
  static long allocatedBytes(int segmentBytes) {
    return (long) segmentBytes + METADATA_BYTES + DIRECTORY_BYTES;
  }

  /**
   * What a segment file whose records end there is cut to: the unused room goes back to the disk,
   * but for a page behind the last record.
   */
  static long sealedBytes(long endOfRecords) {
    return alignUp(endOfRecords, PAGE_BYTES) + PAGE_BYTES;
  }

  /** Rounds up to a multiple. */
  static long alignUp(long value, int granule) {
    return (value + granule - 1) / granule * granule;
  }
}
