package io.hypersync.chunkstore.disk;

/**
 * Memory and disk limits of a {@link DiskChunkStore}.
 *
 * @param indexCacheBytes memory for RocksDB's block cache, in addition to the page cache
 * @param segmentBytes maximum size of a segment file, unless a single chunk is longer; at most 1
 *     GiB
 * @param checkpointBytes a checkpoint is due when the segments have grown by so many bytes. Small,
 *     because a checkpoint syncs them all at once and the log waits for the disk meanwhile. It is
 *     normally also the limit of what is read again when the store is opened
 * @param reservedBytes a put fails with ENOSPC while the file system has less free space than this.
 *     The index is written later and takes long to recover from a full disk, which this reserve
 *     prevents; 0 disables the check
 */
public record DiskChunkStoreOptions(
    long indexCacheBytes, long segmentBytes, long checkpointBytes, long reservedBytes) {
  private static final long MIB = 1L << 20;

  /** 16 MiB of cache, segments of 256 MiB, a checkpoint every 4 MiB, 128 MiB kept free. */
  public static final DiskChunkStoreOptions DEFAULT =
      new DiskChunkStoreOptions(16 * MIB, 256 * MIB, 4 * MIB, 128 * MIB);

  /**
   * The same with segments of another size, and a checkpoint for each one at least: only behind a
   * checkpoint can a collection delete a segment.
   */
  public DiskChunkStoreOptions withSegmentBytes(long bytes) {
    return new DiskChunkStoreOptions(
        indexCacheBytes, bytes, Math.min(checkpointBytes, bytes), reservedBytes);
  }

  /** Rejects sizes that cannot work. */
  public DiskChunkStoreOptions {
    if (indexCacheBytes < 0 || reservedBytes < 0) {
      throw new IllegalArgumentException("negative size");
    }
    if (segmentBytes < 1 || segmentBytes > 1L << 30 || checkpointBytes < 1) {
      throw new IllegalArgumentException(
          "segments of " + segmentBytes + ", a checkpoint every " + checkpointBytes + " bytes");
    }
  }
}
