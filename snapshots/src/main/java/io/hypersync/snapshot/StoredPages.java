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
import java.util.function.Consumer;

/** Pages as chunks of a store. Any thread may read; otherwise it is not thread-safe. */
public final class StoredPages implements PageSink, PageSource {
  private static final int BATCH = 64;

  private final ChunkStore chunks;
  private final Consumer<List<Chunk>> store;
  private final RateLimit limit;
  private final List<Chunk> batch = new ArrayList<>();

  /**
   * Pages of a store.
   *
   * @param limit asked for the bytes of each page that is written
   */
  public StoredPages(ChunkStore chunks, RateLimit limit) {
    this(chunks, chunks::putAll, limit);
  }

  private StoredPages(ChunkStore chunks, Consumer<List<Chunk>> store, RateLimit limit) {
    this.chunks = chunks;
    this.store = store;
    this.limit = limit;
  }

  /**
   * Pages of a snapshot that is to be taken. A collection keeps all that is behind the newest one,
   * so on a full disk there is no room before the next one is taken. They are written where others
   * are refused ({@link ChunkStore#putAllToMakeRoom}).
   *
   * @param limit as above
   */
  static StoredPages ofSnapshot(ChunkStore chunks, RateLimit limit) {
    return new StoredPages(chunks, chunks::putAllToMakeRoom, limit);
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
    store.accept(List.copyOf(batch));
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
