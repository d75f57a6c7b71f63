package io.hypersync.chunkstore;

import io.hypersync.model.hash.Hash;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** A chunk store in memory for simulations and tests; its content is lost with the process. */
public final class InMemoryChunkStore implements ChunkStore {
  private final Map<Hash, byte[]> chunks = new ConcurrentHashMap<>();

  /** Hashes of copies that were found damaged; they are treated as missing. */
  private final Set<Hash> bad = ConcurrentHashMap.newKeySet();

  private volatile boolean closed;

  public InMemoryChunkStore() {}

  @Override
  public int length(Hash hash) {
    byte[] bytes = open().get(hash);
    return bytes == null || bad.contains(hash) ? NOT_HERE : bytes.length;
  }

  @Override
  public byte @Nullable [] get(Hash hash) {
    byte[] bytes = open().get(hash);
    return bytes == null ? null : bytes.clone();
  }

  @Override
  public byte @Nullable [] getVerified(Hash hash) {
    byte[] bytes = open().get(hash);
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
    open().put(hash, bytes.clone());
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

  /** Reports the bytes of the chunks as bytes on disk. */
  @Override
  public ChunkStoreStats stats() {
    Map<Hash, byte[]> all = open();
    return new ChunkStoreStats(
        all.size(), all.values().stream().mapToLong(bytes -> bytes.length).sum());
  }

  @Override
  public void close() {
    closed = true;
  }

  private Map<Hash, byte[]> open() {
    if (closed) {
      throw new IllegalStateException("the chunk store is closed");
    }
    return chunks;
  }
}
