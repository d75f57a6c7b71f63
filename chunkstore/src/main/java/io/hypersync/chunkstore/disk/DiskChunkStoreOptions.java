package io.hypersync.chunkstore.disk;

/**
 * How much memory and disk a {@link DiskChunkStore} may use.
 *
 * @param indexCacheBytes memory for the index, beside what the kernel keeps of it
 * @param segmentBytes of one segment file at most, but for a chunk that is longer; at most 1 GiB
 * @param checkpointBytes few, since a checkpoint syncs them in one go, and the log waits for the
 *     disk meanwhile: the index is written when the segments have grown by so much; what it does
 *     not have is read again when the store is opened, as a rule no more than that
 * @param reservedBytes a put is refused with ENOSPC while the file system has less than this free.
 *     The index is written behind, and takes long to recover when that fails; with this in hand it
 *     need not. 0 refuses nothing in advance
 */
public record DiskChunkStoreOptions(
    long indexCacheBytes, long segmentBytes, long checkpointBytes, long reservedBytes) {
  private static final long MIB = 1L << 20;

  /** 16 MiB of cache, segments of 256 MiB, a checkpoint every 4 MiB, 128 MiB kept free. */
  public static final DiskChunkStoreOptions DEFAULT =
      new DiskChunkStoreOptions(16 * MIB, 256 * MIB, 4 * MIB, 128 * MIB);

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
