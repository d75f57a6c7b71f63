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
 * spare-000000000000002b/        being prepared, prepared and unused, or withdrawn to be
 *                                deleted; ignored after a crash
 * </pre>
 *
 * <pre>
 * 19700101F.cq4
 * 0            8 KiB or more                         segmentBytes    + a quarter
 * +------------+---------------------------+---------+---------------+
 * | Chronicle  | documents: 4-byte word    | zeros,  | hole, never   |
 * | header and | (little-endian length),   | written | touched       |
 * | index      | record, padding to 4      | ahead   |               |
 * +------------+---------------------------+---------+---------------+
 * </pre>
 *
 * <p>A batch begins at a multiple of {@link #PAGE_BYTES}, so that no later write touches a page
 * with acknowledged bytes. The rest of the page before it is a filler: a word, and zeros.
 *
 * <pre>
 * 0       4                                   to the end of the page
 * +-------+----------------------------------+
 * | word  | zeros                            |   word: {@link #FILLER_BIT} and the number of zeros
 * +-------+----------------------------------+
 * </pre>
 *
 * <p>The bit is Chronicle's mark of a document that is not user data; its tailers skip such
 * documents. The word before a watermark has it, too.
 */
final class SegmentLayout {
  /** The file of Chronicle's cycle 0, which is the only one that a segment ever has. */
  static final String CYCLE_FILE = "19700101F.cq4";

  static final String METADATA_FILE = "metadata.cq4t";

  /** Chronicle maps two 64 KiB windows of its metadata file. */
  static final int METADATA_BYTES = 128 << 10;

  static final int PAGE_BYTES = 4096;

  /** An upper bound of what a file system takes for a directory, its names, and an empty file. */
  private static final int DIRECTORY_BYTES = 8 * PAGE_BYTES;

  /** Entries of one Chronicle index array; small, because the index is never used. */
  static final int CHRONICLE_INDEX_COUNT = 512;

  /** Every how many documents Chronicle would write an index entry. */
  static final int CHRONICLE_INDEX_SPACING = 4096;

  /** Chronicle's file header and index of indexes come before this position. */
  static final int FIRST_RECORD_BEFORE = 16 << 10;

  /** The length word that Chronicle puts before each document. */
  static final int DOCUMENT_WORD_BYTES = 4;

  /** Set in the word before a document that is not an entry. */
  static final int FILLER_BIT = 0x4000_0000;

  private static final Pattern PUBLISHED = Pattern.compile("segment-([0-9a-f]{16})");

  private SegmentLayout() {}

  /** Directory of a published segment. */
  static Path published(Path logDirectory, long sequence) {
    return logDirectory.resolve(String.format("segment-%016x", sequence));
  }

  /** Directory of a segment in preparation, or of one that was withdrawn and will be deleted. */
  static Path spare(Path logDirectory, long sequence) {
    return logDirectory.resolve(String.format("spare-%016x", sequence));
  }

  /**
   * An empty file that reserves room in the log's directory for the published name, which has the
   * same length: on a full disk a rename could fail for lack of a block for the new name.
   */
  static Path placeholder(Path logDirectory, long sequence) {
    return logDirectory.resolve(String.format("reserve-%016x", sequence));
  }

  /** Whether the path belongs to an unpublished segment. */
  static boolean isUnpublished(Path path) {
    String name = path.getFileName().toString();
    return name.startsWith("spare-") || name.startsWith("reserve-");
  }

  /** The sequence number in the name of a published segment, or -1 if the name is another one. */
  static long sequenceOf(Path directory) {
    Matcher matcher = PUBLISHED.matcher(directory.getFileName().toString());
    return matcher.matches() ? Long.parseUnsignedLong(matcher.group(1), 16) : -1;
  }

  /** Bytes that one record takes in the file, with its framing. */
  static long documentBytes(int payloadBytes) {
    return alignUp(DOCUMENT_WORD_BYTES + (long) RecordCodec.recordBytes(payloadBytes), 4);
  }

  /**
   * Bytes to reserve for an accepted entry: pages of its own, as if it became a batch by itself,
   * and one for a watermark after it. The part that is not needed is returned when the entry is
   * written.
   */
  static long reservedBytes(int payloadBytes) {
    return alignUp(documentBytes(payloadBytes), PAGE_BYTES) + PAGE_BYTES;
  }

  /**
   * Bytes for batches in a new segment: all but what Chronicle writes into a new file, the page
   * with the segment header, and a page after the last record, because a tailer looks for the next
   * document.
   */
  static long roomForEntries(int segmentBytes) {
    return endOfRoom(segmentBytes) - FIRST_RECORD_BEFORE - PAGE_BYTES;
  }

  /** The position that no batch of a segment may exceed. */
  static long endOfRoom(int segmentBytes) {
    return (long) segmentBytes - PAGE_BYTES;
  }

  /**
   * The word of a filler from {@code position}, which must not be at a page boundary, to the end of
   * its page.
   */
  static int fillerWord(long position) {
    return FILLER_BIT | (int) (alignUp(position, PAGE_BYTES) - position - DOCUMENT_WORD_BYTES);
  }

  /** Chronicle reads documents up to its mapping overlap, which is a quarter of the block. */
  static int maxPayloadBytes(int segmentBytes) {
    return overlapBytes(segmentBytes) - PAGE_BYTES;
  }

  /** The size of a segment that has room for these entries. */
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

  /** Size of the hole after the segment: part of Chronicle's mapping, never written. */
  static int overlapBytes(int segmentBytes) {
    return segmentBytes / 4;
  }

  /** The length of a new segment's file, including the hole. */
  static long fileBytes(int segmentBytes) {
    return (long) segmentBytes + overlapBytes(segmentBytes);
  }

  /** Disk space that a new segment takes; slightly more than its files, for their names. */
  static long allocatedBytes(int segmentBytes) {
    return (long) segmentBytes + METADATA_BYTES + DIRECTORY_BYTES;
  }

  /**
   * The size to which a finished segment file is truncated: the unused room is freed, except for a
   * page after the last record.
   */
  static long sealedBytes(long endOfRecords) {
    return alignUp(endOfRecords, PAGE_BYTES) + PAGE_BYTES;
  }

  /** Rounds up to a multiple of {@code granule}. */
  static long alignUp(long value, int granule) {
    return (value + granule - 1) / granule * granule;
  }
}
