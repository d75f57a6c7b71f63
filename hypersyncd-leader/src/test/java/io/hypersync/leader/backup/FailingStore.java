package io.hypersync.leader.backup;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.chunkstore.ChunkStoreStats;
import io.hypersync.chunkstore.CollectionOptions;
import io.hypersync.chunkstore.CollectionRun;
import io.hypersync.chunkstore.InMemoryChunkStore;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A store in memory that can be full, and whose content rots; it knows what was put and synced. */
final class FailingStore implements ChunkStore {
  private final InMemoryChunkStore chunks = new InMemoryChunkStore();
  final List<Hash> put = new ArrayList<>();
  final Set<Hash> rotten = new HashSet<>();
  final Set<Hash> lost = new HashSet<>();

  /** Chunks that are put and not synced. */
  final Set<Hash> unsynced = new HashSet<>();

  /** How many more can be put; then it is full. */
  long room = Long.MAX_VALUE;

  int reads;
  boolean syncFails;

  @Override
  public int length(Hash hash) {
    return lost.contains(hash) ? NOT_HERE : chunks.length(hash);
  }

  @Override
  public byte @Nullable [] get(Hash hash) {
    return lost.contains(hash) ? null : chunks.get(hash);
  }

  @Override
  public byte @Nullable [] getVerified(Hash hash) {
    reads++;
    if (rotten.contains(hash)) {
      throw new ChunkStoreException(Errno.EIO, "it is damaged");
    }
    return lost.contains(hash) ? null : chunks.getVerified(hash);
  }

  @Override
  public void put(Hash hash, byte[] bytes) {
    if (room-- <= 0) {
      throw new ChunkStoreException(Errno.ENOSPC, "it is full");
    }
    put.add(hash);
    unsynced.add(hash);
    rotten.remove(hash);
    lost.remove(hash);
    chunks.put(hash, bytes);
  }

  @Override
  public void putAll(List<Chunk> all) {
    all.forEach(chunk -> put(chunk.hash(), chunk.bytes()));
  }

  @Override
  public void requireSpace() {}

  @Override
  public void sync() {
    if (syncFails) {
      throw new ChunkStoreException(Errno.EIO, "the disk has failed");
    }
    unsynced.clear();
  }

  @Override
  public CollectionRun beginCollection(CollectionOptions options) {
    return chunks.beginCollection(options);
  }

  @Override
  public Predicate<Hash> newest(long bytes) {
    return chunks.newest(bytes);
  }

  @Override
  public ChunkStoreStats stats() {
    return chunks.stats();
  }

  @Override
  public void close() {
    chunks.close();
  }
}
