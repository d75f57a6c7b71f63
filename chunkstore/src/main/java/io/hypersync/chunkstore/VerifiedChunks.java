package io.hypersync.chunkstore;

import io.hypersync.model.hash.Hash;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Remembers which chunks were stored, or verified against their hashes, a short time ago: they can
 * be relied on without being read again (hypersync.md 22.1). Bounded in number, and in time because
 * disks can corrupt data. Thread-safe; the caller passes in the time.
 */
public final class VerifiedChunks {
  private final int maxChunks;
  private final long ttlNs;

  /** When each chunk was last verified, in nanoseconds; the oldest first. */
  private final Map<Hash, Long> sinceNs = new LinkedHashMap<>();

  /**
   * An empty set.
   *
   * @param maxChunks maximum number of chunks, about 150 bytes of heap each; beyond it the oldest
   *     is dropped
   * @param ttlNs how long a chunk counts as verified, in nanoseconds
   */
  public VerifiedChunks(int maxChunks, long ttlNs) {
    this.maxChunks = maxChunks;
    this.ttlNs = ttlNs;
  }

  /** Records that the chunk has just been stored, or read and verified. */
  public synchronized void add(Hash hash, long nowNs) {
    sinceNs.remove(hash);
    sinceNs.put(hash, nowNs);
    if (sinceNs.size() > maxChunks) {
      Iterator<Long> oldest = sinceNs.values().iterator();
      var _ = oldest.next();
      oldest.remove();
    }
  }

  /** Whether the chunk was recorded less than the TTL ago. */
  public synchronized boolean has(Hash hash, long nowNs) {
    Long since = sinceNs.get(hash);
    return since != null && nowNs - since < ttlNs;
  }

  /** Forgets a chunk that was found damaged. */
  public synchronized void remove(Hash hash) {
    sinceNs.remove(hash);
  }
}
