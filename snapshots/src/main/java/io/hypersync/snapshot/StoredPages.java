package io.hypersync.snapshot;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.trie.PageMissingException;
import io.hypersync.model.trie.PageSink;
import io.hypersync.model.trie.PageSource;
import java.util.ArrayList;
import java.util.List;

/** Pages as chunks of a store. Any thread may read; otherwise it is not thread-safe. */
public final class StoredPages implements PageSink, PageSource {
  private static final int BATCH = 64;

  private final ChunkStore chunks;
  private final RateLimit limit;
  private final List<Chunk> batch = new ArrayList<>();

  /**
   * Pages of a store.
   *
   * @param limit asked for the bytes of each page that is written
   */
  public StoredPages(ChunkStore chunks, RateLimit limit) {
    this.chunks = chunks;
    this.limit = limit;
  }

  /**
   * Stores a page, if the store does not have it. It may be kept in memory until {@link #flush}.
   *
   * @throws ChunkStoreException if the store fails; ENOSPC if it is full
   */
  @Override
  public Hash put(byte[] page) {
    Hash hash = Blake3.hash(page);
    if (!chunks.contains(hash)) {
      batch.add(new Chunk(hash, page));
      limit.spend(page.length);
      if (batch.size() >= BATCH) {
        flush();
      }
    }
    return hash;
  }

  /** Hands all pages to the store; they are durable after its next sync. */
  public void flush() {
    chunks.putAll(List.copyOf(batch));
    batch.clear();
  }

  @Override
  public byte[] get(Hash page) throws PageMissingException {
    try {
      byte[] bytes = chunks.getVerified(page);
      if (bytes == null) {
        throw new PageMissingException(page, "is missing");
      }
      return bytes;
    } catch (ChunkStoreException e) {
      if (e.errno() != Errno.EIO) {
        throw e; // it may be readable the next time
      }
      throw new PageMissingException(page, "cannot be read: " + e.getMessage());
    }
  }
}
