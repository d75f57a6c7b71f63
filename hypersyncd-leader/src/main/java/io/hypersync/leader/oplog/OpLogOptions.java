package io.hypersync.leader.oplog;

/**
 * Settings of an op log.
 *
 * @param segmentBytes preallocated bytes of one segment file, a multiple of 64 KiB from 256 KiB to
 *     1 GiB; two segments are allocated at any time. A payload may take up to a quarter of it
 * @param batchMaxOps most entries in one sync (hypersync.md 6.3.1, BATCH_MAX_OPS)
 * @param batchMaxBytes most payload bytes in one sync, except that one entry always fits
 *     (BATCH_MAX_BYTES)
 */
public record OpLogOptions(int segmentBytes, int batchMaxOps, int batchMaxBytes) {
  /** 64 MiB segments, batches of up to 100 entries and 1 MB. */
  public static final OpLogOptions DEFAULT = new OpLogOptions(64 << 20, 100, 1_000_000);

  private static final int MIN_SEGMENT_BYTES = 256 << 10;
  private static final int MAX_SEGMENT_BYTES = 1 << 30;
  private static final int SEGMENT_GRANULE_BYTES = 64 << 10;

  /** Checks the ranges. */
  public OpLogOptions {
    if (segmentBytes < MIN_SEGMENT_BYTES
        || segmentBytes > MAX_SEGMENT_BYTES
        || segmentBytes % SEGMENT_GRANULE_BYTES != 0) {
      throw new IllegalArgumentException(
          "segmentBytes must be a multiple of 64 KiB from 256 KiB to 1 GiB, is " + segmentBytes);
    }
    if (batchMaxOps < 1 || batchMaxBytes < 1) {
      throw new IllegalArgumentException(
          "batch limits must be at least 1, are " + batchMaxOps + " and " + batchMaxBytes);
    }
  }

  /** The same with another segment size in bytes. */
  public OpLogOptions withSegmentBytes(int bytes) {
    return new OpLogOptions(bytes, batchMaxOps, batchMaxBytes);
  }

  /** The same with another limit of entries in a batch. */
  public OpLogOptions withBatchMaxOps(int ops) {
    return new OpLogOptions(segmentBytes, ops, batchMaxBytes);
  }
}
