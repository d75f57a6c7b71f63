package io.hypersync.chunkstore;

/**
 * Size of a chunk store (hypersync.md 16).
 *
 * @param approximateChunks estimated number of chunks; a chunk that was stored twice may count
 *     twice for a while
 * @param bytesOnDisk total size in bytes of all files of the store, write-ahead log and metadata
 *     included
 */
public record ChunkStoreStats(long approximateChunks, long bytesOnDisk) {}
