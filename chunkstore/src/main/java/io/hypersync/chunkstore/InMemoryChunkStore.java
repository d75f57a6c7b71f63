package io.hypersync.chunkstore;

import io.hypersync.model.hash.Hash;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A chunk store in memory for simulations and tests; its content is lost with the process. */
public final class InMemoryChunkStore implements ChunkStore {
  private final Map<Hash, byte[]> chunks = new ConcurrentHashMap<>();

  /** Hashes of copies that were found damaged; they are treated as missing. */
  private final Set<Hash> bad = ConcurrentHashMap.newKeySet();

  private final KeptChunks kept = new KeptChunks();
  private volatile @Nullable CollectionProgress measured;
  private volatile boolean closed;

  public InMemoryChunkStore() {}

  @Override
  public int length(Hash hash) {
    byte[] bytes = find(hash);
    return bytes == null || bad.contains(hash) ? NOT_HERE : bytes.length;
  }

  @Override
  public byte @Nullable [] get(Hash hash) {
    byte[] bytes = find(hash);
    return bytes == null ? null : bytes.clone();
  }

  @Override
  public byte @Nullable [] getVerified(Hash hash) {
    byte[] bytes = find(hash);
    if (bytes == null) {
      return null;
    }
    try {
      ChunkStore.requireIntact(hash, bytes);
    } catch (ChunkStoreException e) {
      bad.add(hash);
      throw e;
    }
    return bytes.clone();
  }

  @Override
  public void put(Hash hash, byte[] bytes) {
    open()
        .compute(
            hash,
            (_, _) -> {
              kept.stored(hash); // within the computation, as opposed to removal
              return bytes.clone();
            });
    bad.remove(hash);
  }

  @Override
  public void putAll(List<Chunk> chunks) {
    for (Chunk chunk : chunks) {
      put(chunk.hash(), chunk.bytes());
    }
  }

  @Override
  public void requireSpace() {
    open();
  }

  @Override
  public void sync() {
    open();
  }

  @Override
  public CollectionRun beginCollection(CollectionOptions options) {
    Map<Hash, byte[]> all = open();
    kept.begin();
    return new MemoryCollection(kept, all, bad, progress -> measured = progress);
  }

  /** All of them: the order in which they were stored is not known. */
  @Override
  public Predicate<Hash> newest(long bytes) {
    return open()::containsKey;
  }

  /** Reports the bytes of the chunks as bytes on disk. */
  @Override
  public ChunkStoreStats stats() {
    Map<Hash, byte[]> all = open();
    long bytes = all.values().stream().mapToLong(chunk -> chunk.length).sum();
    CollectionProgress last = measured;
    return last == null
        ? new ChunkStoreStats(all.size(), bytes)
        : new ChunkStoreStats(all.size(), bytes, last.liveBytes(), last.deadBytes());
  }

  @Override
  public void close() {
    closed = true;
  }

  private byte @Nullable [] find(Hash hash) {
    while (true) {
      long removals = kept.removals();
      byte[] bytes = open().get(hash);
      if (bytes == null || !kept.isActive()) {
        return bytes;
      }
      if (!kept.promise(hash)) {
        return null;
      }
      if (kept.removals() == removals) {
        return bytes;
      }
    }
  }

  private Map<Hash, byte[]> open() {
    if (closed) {
      throw new IllegalStateException("the chunk store is closed");
    }
    return chunks;
  }
}
