package io.hypersync.chunkstore.rocks;

/**
 * How much memory and disk a {@link RocksChunkStore} may use.
 *
 * @param blockCacheBytes memory for index, filter and small chunks; larger chunks are left to the
 *     kernel's page cache
 * @param writeBufferBytes size of one memory table, and roughly of one write-ahead log file
 * @param writeBufferCount memory tables at most, at least 2
 * @param reservedBytes a put is refused with ENOSPC while the file system has less than this free.
 *     RocksDB writes in the background, too, and takes seconds to recover when that fails; with
 *     room for a flush of all its memory tables it need not. 0 refuses nothing in advance
 */
public record RocksChunkStoreOptions(
    long blockCacheBytes, long writeBufferBytes, int writeBufferCount, long reservedBytes) {
  private static final long MIB = 1L << 20;

  /** 32 MiB of cache, three write buffers of 16 MiB, 128 MiB kept free. */
  public static final RocksChunkStoreOptions DEFAULT =
      new RocksChunkStoreOptions(32 * MIB, 16 * MIB, 3, 128 * MIB);

  /** Rejects sizes that RocksDB would not work with. */
  public RocksChunkStoreOptions {
    if (blockCacheBytes < 0 || reservedBytes < 0) {
      throw new IllegalArgumentException("negative size");
    }
    if (writeBufferBytes < 64 * 1024 || writeBufferCount < 2) {
      throw new IllegalArgumentException(
          "needs at least 2 write buffers of 64 KiB, got "
              + writeBufferCount
              + " of "
              + writeBufferBytes
              + " bytes");
    }
  }
}
