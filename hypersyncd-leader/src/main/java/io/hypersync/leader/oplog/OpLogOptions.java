package io.hypersync.leader.oplog;

import io.hypersync.model.trie.RootVersion;

/**
 * Settings of an op log.
 *
 * @param firstSegmentBytes preallocated bytes of the first segment file of a run, a multiple of 64
 *     KiB from 256 KiB to {@code segmentBytes}; each further segment has twice the size, up to
 *     {@code segmentBytes}. A payload may take up to a quarter of the first
 * @param segmentBytes most preallocated bytes of one segment file, a multiple of 64 KiB up to 1
 *     GiB; two segments are allocated at any time
 * @param batchMaxOps most entries in one sync (hypersync.md 6.3.1, BATCH_MAX_OPS)
 * @param batchMaxBytes most payload bytes in one sync, except that one entry always fits
 *     (BATCH_MAX_BYTES)
 * @param roots of all entries; a log with roots of another version is not opened
 */
public record OpLogOptions(
    int firstSegmentBytes,
    int segmentBytes,
    int batchMaxOps,
    int batchMaxBytes,
    RootVersion roots) {
  /** Segments of 4 MiB that grow to 64 MiB, batches of up to 100 entries and 1 MB. */
  public static final OpLogOptions DEFAULT =
      new OpLogOptions(4 << 20, 64 << 20, 100, 1_000_000, RootVersion.LATEST);

  private static final int PARTS_OF_A_LOG = 8;
  private static final int MIN_SEGMENT_BYTES = 256 << 10;
  private static final int MAX_SEGMENT_BYTES = 1 << 30;
  private static final int SEGMENT_GRANULE_BYTES = 64 << 10;

  public OpLogOptions {
    if (!isSize(segmentBytes) || !isSize(firstSegmentBytes) || firstSegmentBytes > segmentBytes) {
      throw new IllegalArgumentException(
          "segments must have multiples of 64 KiB from 256 KiB to 1 GiB, the first one no more than"
              + " others; they are "
              + firstSegmentBytes
              + " and "
              + segmentBytes);
    }
    if (batchMaxOps < 1 || batchMaxBytes < 1) {
      throw new IllegalArgumentException(
          "batch limits must be at least 1, are " + batchMaxOps + " and " + batchMaxBytes);
    }
  }

  private static boolean isSize(int bytes) {
    return bytes >= MIN_SEGMENT_BYTES
        && bytes <= MAX_SEGMENT_BYTES
        && bytes % SEGMENT_GRANULE_BYTES == 0;
  }

  /** The same with all segments of this size in bytes. */
  public OpLogOptions withSegmentBytes(int bytes) {
    return new OpLogOptions(bytes, bytes, batchMaxOps, batchMaxBytes, roots);
  }

  /**
   * The same with segments that suit a log of at most so many bytes: an eighth of it, since two are
   * allocated at any time and a log loses whole segments; but at least {@link #firstSegmentBytes}.
   */
  public OpLogOptions within(long logBytes) {
    long part = logBytes / PARTS_OF_A_LOG / SEGMENT_GRANULE_BYTES * SEGMENT_GRANULE_BYTES;
    int bytes = Math.clamp(part, firstSegmentBytes, segmentBytes);
    return new OpLogOptions(firstSegmentBytes, bytes, batchMaxOps, batchMaxBytes, roots);
  }

  /** The same with other limits of a batch: entries, and bytes of payload. */
  public OpLogOptions withBatches(int maxOps, int maxBytes) {
    return new OpLogOptions(firstSegmentBytes, segmentBytes, maxOps, maxBytes, roots);
  }

  /** The same for entries whose roots have this version. */
  public OpLogOptions withRoots(RootVersion version) {
    return new OpLogOptions(firstSegmentBytes, segmentBytes, batchMaxOps, batchMaxBytes, version);
  }
}
