package io.hypersync.chunkstore;

/**
 * Size of a chunk store (hypersync.md 16).
 *
 * @param approximateChunks estimated number of chunks; a chunk that was stored twice may count
 *     twice for a while
 * @param bytesOnDisk total size in bytes of all files of the store, write-ahead log and metadata
 *     included
 * @param liveBytes bytes of living chunks as the last collection of this process has found, or
 *     {@link #NOT_MEASURED}
 * @param deadBytes all other bytes of chunks at that time, without those deleted since, or {@link
 *     #NOT_MEASURED}
 */
public record ChunkStoreStats(
    long approximateChunks, long bytesOnDisk, long liveBytes, long deadBytes) {
  /** No collection has measured the store yet. */
  public static final long NOT_MEASURED = -1;

  /** The size of a store that no collection has measured. */
  public ChunkStoreStats(long approximateChunks, long bytesOnDisk) {
    this(approximateChunks, bytesOnDisk, NOT_MEASURED, NOT_MEASURED);
  }
}
