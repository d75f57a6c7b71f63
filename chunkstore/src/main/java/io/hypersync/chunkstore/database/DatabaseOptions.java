package io.hypersync.chunkstore.database;

/**
 * How a {@link RocksDatabase} uses memory, all of it outside of the heap.
 *
 * @param cacheBytes for blocks, indexes and filters of table files, in addition to the page cache
 * @param writeBufferBytes for the newest rows of each family, up to twice
 */
public record DatabaseOptions(long cacheBytes, long writeBufferBytes) {
  /** Rejects sizes that cannot work. */
  public DatabaseOptions {
    if (cacheBytes < 0 || writeBufferBytes < 1) {
      throw new IllegalArgumentException(
          "a cache of " + cacheBytes + " and a write buffer of " + writeBufferBytes + " bytes");
    }
  }
}
