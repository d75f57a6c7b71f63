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
 *
 * <p>A batch begins at a multiple of {@link #PAGE_BYTES}, so that no later write touches a page
 * with acknowledged bytes. What is left of the page before is a filler: a word, and zeros.
 *
 * <pre>
 * 0       4                                   to the end of the page
 * +-------+----------------------------------+
 * | word  | zeros                            |   word: {@link #FILLER_BIT} and the number of zeros
 * +-------+----------------------------------+
 * </pre>
 *
 * <p>The bit is Chronicle's for a document that is none of the user's; its tailers pass it by. The
 * word before a watermark has it, too.
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

  /** In the word before a document that is no entry. */
  static final int FILLER_BIT = 0x4000_0000;

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
   * What has to be kept free for an entry that is accepted: pages of its own, as if it became a
   * batch by itself, and one for a watermark behind it. What it does not need of them is given back
   * when it is written.
   */
  static long reservedBytes(int payloadBytes) {
    return alignUp(documentBytes(payloadBytes), PAGE_BYTES) + PAGE_BYTES;
  }

  /**
   * Bytes that batches may take in a new segment: all but what Chronicle writes into a new file,
   * the page with the segment header, and a page behind the last record, because a tailer looks for
   * the next document.
   */
  static long roomForEntries(int segmentBytes) {
    return endOfRoom(segmentBytes) - FIRST_RECORD_BEFORE - PAGE_BYTES;
  }

  /** Where the last batch of a segment ends at most. */
  static long endOfRoom(int segmentBytes) {
    return (long) segmentBytes - PAGE_BYTES;
  }

  /** The word of a filler from {@code position}, which is not at the end of a page, to that end. */
  static int fillerWord(long position) {
    return FILLER_BIT | (int) (alignUp(position, PAGE_BYTES) - position - DOCUMENT_WORD_BYTES);
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

  /** The length of a new segment's file, with the hole behind it. */
  static long fileBytes(int segmentBytes) {
    return (long) segmentBytes + overlapBytes(segmentBytes);
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
