package io.hypersync.sim.disk;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.chunkstore.ChunkStoreStats;
import io.hypersync.chunkstore.CollectionOptions;
import io.hypersync.chunkstore.CollectionProgress;
import io.hypersync.chunkstore.CollectionRun;
import io.hypersync.chunkstore.KeptChunks;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import io.hypersync.sim.world.Prng;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A chunk store with page cache and disk. A process crash loses nothing except what a failed sync
 * may have dropped. After a power loss each chunk that was not synced is kept or lost at random.
 * After either, each chunk that the last step of a collection has removed may be back.
 */
public final class SimChunkStore implements ChunkStore {
  private final Map<Hash, byte[]> synced = new LinkedHashMap<>();
  private final Map<Hash, byte[]> cached = new LinkedHashMap<>();
  private final Map<Hash, byte[]> damaged = new LinkedHashMap<>();
  private final Set<Hash> doubtful = new LinkedHashSet<>();

  /**
   * Chunks that a read has found damaged: they count as missing until they are stored again,
   * restored, or the process restarts.
   */
  private final Set<Hash> bad = new LinkedHashSet<>();

  /**
   * Chunks that this run of the process has stored, or read and verified, and has not since found
   * damaged.
   */
  private final Set<Hash> vouched = new LinkedHashSet<>();

  /** The same, including chunks that were found damaged later. */
  private final Set<Hash> lookedAt = new LinkedHashSet<>();

  /** Refused because the disk was full; the log may hold them. */
  private final Set<Hash> refused = new LinkedHashSet<>();

  /** What the last step of a collection has removed. */
  private final Map<Hash, byte[]> leaving = new LinkedHashMap<>();

  private final KeptChunks kept = new KeptChunks();
  private @Nullable SimCollection collection;
  private long liveBytes = ChunkStoreStats.NOT_MEASURED;
  private long rotted;
  private boolean full;
  private boolean syncFails;

  public SimChunkStore() {}

  /** Sets whether puts fail with ENOSPC. */
  public void full(boolean nowFull) {
    full = nowFull;
  }

  /** Whether puts fail with ENOSPC. */
  public boolean isFull() {
    return full;
  }

  /** Sets whether the next sync fails. */
  public void nextSyncFails(boolean now) {
    syncFails = now;
  }

  /**
   * Flips a bit of a random chunk. It stays damaged until it is stored again or {@linkplain #repair
   * restored}. Returns false if the store holds no chunk of at least one byte.
   */
  public boolean rot(Prng prng) {
    List<Hash> here = new ArrayList<>(synced.keySet());
    here.addAll(cached.keySet());
    here.removeIf(hash -> synced.getOrDefault(hash, cached.get(hash)).length == 0);
    if (here.isEmpty()) {
      return false;
    }
    Hash hash = prng.pick(here);
    byte[] bytes = stored(hash);
    if (bytes != null && !damaged.containsKey(hash)) {
      bytes[prng.below(bytes.length)] ^= (byte) (1 << prng.below(Byte.SIZE));
      damaged.put(hash, bytes);
      rotted++;
    }
    return true;
  }

  /** Undoes the damage of all chunks, as if they were restored from a copy. */
  public void repair() {
    damaged.clear();
    bad.clear();
  }

  /** Whether the chunk is damaged. */
  public boolean isDamaged(Hash hash) {
    return damaged.containsKey(hash);
  }

  /** How many chunks have rotted so far, including those restored since. */
  public long rotted() {
    return rotted;
  }

  private void vouch(Hash hash) {
    vouched.add(hash);
    lookedAt.add(hash);
  }

  /** The bytes of a chunk as a loss of power would leave them; null if it would be gone. */
  public byte @Nullable [] durable(Hash hash) {
    return synced.get(hash);
  }

  /** Whether this run of the process has stored the chunk, or read and verified it. */
  public boolean wasIntact(Hash hash) {
    return lookedAt.contains(hash);
  }

  /** Whether the chunk was refused because the disk was full, and has not been stored since. */
  public boolean wasRefused(Hash hash) {
    return refused.contains(hash);
  }

  @Override
  public boolean isKnownVerified(Hash hash) {
    return vouched.contains(hash) && contains(hash);
  }

  /** Whether any chunk is damaged. */
  public boolean isDamaged() {
    return !damaged.isEmpty();
  }

  /**
   * The process has crashed: what a failed sync should have written may be gone from the page
   * cache.
   */
  public void evict(Prng prng) {
    endCollection(prng);
    bad.clear();
    vouched.clear();
    lookedAt.clear();
    for (Hash hash : doubtful) {
      if (prng.oneIn(2)) {
        cached.remove(hash);
      }
    }
    doubtful.clear();
  }

  /** Power is lost: every chunk that was not synced is kept or lost at random. */
  public void losePower(Prng prng) {
    endCollection(prng);
    bad.clear();
    vouched.clear();
    lookedAt.clear();
    for (Iterator<Map.Entry<Hash, byte[]>> each = cached.entrySet().iterator(); each.hasNext(); ) {
      each.next();
      if (prng.oneIn(2)) {
        each.remove();
      }
    }
    doubtful.clear();
  }

  /**
   * Begins a sync and returns the chunks that {@link #finish} makes durable: exactly those that are
   * cached now.
   */
  public List<Hash> beginSync() {
    return List.copyOf(cached.keySet());
  }

  /**
   * Completes the sync.
   *
   * @throws IOException if it has failed; the chunks may or may not be on disk
   */
  public void finish(List<Hash> begun) throws IOException {
    if (syncFails && !begun.isEmpty()) {
      syncFails = false;
      doubtful.addAll(begun);
      throw new IOException("EIO: the simulated disk cannot sync chunks");
    }
    store(begun);
  }

  private void store(List<Hash> begun) {
    for (Hash hash : begun) {
      byte[] bytes = cached.remove(hash);
      if (bytes != null) {
        synced.put(hash, bytes);
      }
    }
  }

  @Override
  public CollectionRun beginCollection(CollectionOptions options) {
    kept.begin();
    SimCollection begun = new SimCollection(this, kept);
    collection = begun;
    return begun;
  }

  /** Whether a collection has begun and not ended. */
  boolean isCollecting() {
    return collection != null && collection.progress().phase() != CollectionProgress.Phase.ENDED;
  }

  private void endCollection(Prng prng) {
    if (collection != null) {
      collection.abort();
      collection = null;
    }
    leaving.forEach(
        (hash, bytes) -> {
          if (prng.oneIn(2)) {
            cached.remove(hash);
            synced.putIfAbsent(hash, bytes);
          }
        });
    leaving.clear();
  }

  /** The synced chunks; a copy. */
  List<Hash> syncedHashes() {
    return List.copyOf(synced.keySet());
  }

  /** The length of a chunk that is synced, or {@link #NOT_HERE}. */
  int syncedLength(Hash hash) {
    byte[] bytes = synced.get(hash);
    return bytes == null ? NOT_HERE : bytes.length;
  }

  /** What a collection has removed so far stays removed. */
  void removalsAreDurable() {
    leaving.clear();
  }

  /** Removes a dead chunk. */
  void remove(Hash hash) {
    byte[] bytes = synced.remove(hash);
    if (bytes != null) {
      leaving.put(hash, bytes);
    }
    damaged.remove(hash);
    bad.remove(hash);
    vouched.remove(hash);
    lookedAt.remove(hash);
  }

  /** A collection has found a living chunk damaged. */
  void foundDamaged(Hash hash) {
    bad.add(hash);
    vouched.remove(hash);
  }

  /** A collection has counted what is alive. */
  void measured(long bytes) {
    liveBytes = bytes;
  }

  @Override
  public int length(Hash hash) {
    byte[] bytes = synced.getOrDefault(hash, cached.get(hash));
    if (bytes == null || bad.contains(hash)) {
      return NOT_HERE;
    }
    var _ = kept.promise(hash); // nothing is condemned between two calls
    return bytes.length;
  }

  @Override
  public byte @Nullable [] get(Hash hash) {
    byte[] bytes = stored(hash);
    if (bytes != null) {
      var _ = kept.promise(hash);
    }
    return bytes;
  }

  private byte @Nullable [] stored(Hash hash) {
    byte[] bytes = synced.getOrDefault(hash, cached.get(hash));
    return bytes == null ? null : damaged.getOrDefault(hash, bytes).clone();
  }

  @Override
  public byte @Nullable [] getVerified(Hash hash) {
    byte[] bytes = get(hash);
    if (bytes == null) {
      return null;
    }
    try {
      ChunkStore.requireIntact(hash, bytes);
    } catch (ChunkStoreException e) {
      bad.add(hash);
      vouched.remove(hash);
      throw e;
    }
    vouch(hash);
    return bytes;
  }

  @Override
  public void requireSpace() {
    if (full) {
      throw new ChunkStoreException(Errno.ENOSPC, "the simulated disk is full");
    }
  }

  @Override
  public void put(Hash hash, byte[] bytes) {
    putAll(List.of(new Chunk(hash, bytes)));
  }

  @Override
  public void putAll(List<Chunk> chunks) {
    if (full) {
      chunks.stream()
          .map(Chunk::hash)
          .filter(hash -> !synced.containsKey(hash) && !cached.containsKey(hash))
          .forEach(refused::add);
    }
    requireSpace();
    chunks.forEach(chunk -> store(chunk.hash(), chunk.bytes()));
  }

  private void store(Hash hash, byte[] bytes) {
    kept.stored(hash);
    refused.remove(hash);
    damaged.remove(hash);
    bad.remove(hash);
    vouch(hash);
    if (!synced.containsKey(hash)) {
      cached.put(hash, bytes.clone());
    }
  }

  @Override
  public void sync() {
    try {
      finish(beginSync());
    } catch (IOException e) {
      throw new ChunkStoreException(Errno.EIO, String.valueOf(e.getMessage()), e);
    }
  }

  /** The chunks that were stored first come first, synced ones before those that are not. */
  @Override
  public Predicate<Hash> newest(long bytes) {
    Set<Hash> newest = new LinkedHashSet<>();
    List<Hash> order = new ArrayList<>(synced.keySet());
    order.addAll(cached.keySet());
    long sum = 0;
    for (int i = order.size() - 1; i >= 0 && sum < bytes; i--) {
      newest.add(order.get(i));
      sum += synced.getOrDefault(order.get(i), cached.get(order.get(i))).length;
    }
    return newest::contains;
  }

  @Override
  public ChunkStoreStats stats() {
    return new ChunkStoreStats(
        synced.size() + cached.size(),
        bytes(),
        liveBytes,
        liveBytes == ChunkStoreStats.NOT_MEASURED ? ChunkStoreStats.NOT_MEASURED : 0);
  }

  private long bytes() {
    long bytes = 0;
    for (byte[] chunk : synced.values()) {
      bytes += chunk.length;
    }
    for (byte[] chunk : cached.values()) {
      bytes += chunk.length;
    }
    return bytes;
  }

  @Override
  public void close() {}
}
