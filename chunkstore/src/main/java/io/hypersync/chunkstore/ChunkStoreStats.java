package io.hypersync.chunkstore;

/**
 * What a chunk store holds (hypersync.md 16).
 *
 * @param approximateChunks estimated; a chunk that was stored twice may count twice for a while
 * @param bytesOnDisk length of all files of the store, write-ahead log and bookkeeping included
 */
public record ChunkStoreStats(long approximateChunks, long bytesOnDisk) {}
