package io.hypersync.sim.disk;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.chunkstore.ChunkStoreStats;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import io.hypersync.sim.world.Chance;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Chunks in the page cache and on the disk. A crash of the process loses nothing; a loss of power
 * leaves of what was not synced what chance decides.
 */
public final class SimChunkStore implements ChunkStore {
  private final Map<Hash, byte[]> synced = new LinkedHashMap<>();
  private final Map<Hash, byte[]> cached = new LinkedHashMap<>();
  private boolean full;

  /** An empty disk. */
  public SimChunkStore() {}

  /** Whether puts fail with ENOSPC from now on. */
  public void full(boolean nowFull) {
    full = nowFull;
  }

  /** Whether puts fail. */
  public boolean isFull() {
    return full;
  }

  /** Power is lost: every chunk that was not synced is there afterwards, or not. */
  public void losePower(Chance chance) {
    for (Iterator<Map.Entry<Hash, byte[]>> each = cached.entrySet().iterator(); each.hasNext(); ) {
      each.next();
      if (chance.oneIn(2)) {
        each.remove();
      }
    }
  }

  /** A sync that has begun: {@link #finish} makes exactly that durable which was here by now. */
  public List<Hash> beginSync() {
    return List.copyOf(cached.keySet());
  }

  /** The sync is done. */
  public void finish(List<Hash> begun) {
    for (Hash hash : begun) {
      byte[] bytes = cached.remove(hash);
      if (bytes != null) {
        synced.put(hash, bytes);
      }
    }
  }

  @Override
  public int length(Hash hash) {
    byte[] bytes = synced.getOrDefault(hash, cached.get(hash));
    return bytes == null ? NOT_HERE : bytes.length;
  }

  @Override
  public byte @Nullable [] get(Hash hash) {
    byte[] bytes = synced.get(hash);
    byte[] found = bytes != null ? bytes : cached.get(hash);
    return found == null ? null : found.clone();
  }

  @Override
  public void requireSpace() {
    if (full) {
      throw new ChunkStoreException(Errno.ENOSPC, "the simulated disk is full");
    }
  }

  @Override
  public void put(Hash hash, byte[] bytes) {
    requireSpace();
    if (!synced.containsKey(hash)) {
      cached.put(hash, bytes.clone());
    }
  }

  @Override
  public void putAll(List<Chunk> chunks) {
    chunks.forEach(chunk -> put(chunk.hash(), chunk.bytes()));
  }

  @Override
  public void sync() {
    finish(beginSync());
  }

  @Override
  public ChunkStoreStats stats() {
    return new ChunkStoreStats(synced.size() + cached.size(), 0);
  }

  @Override
  public void close() {}
}
