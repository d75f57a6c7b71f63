package io.hypersync.chunkstore;

import io.hypersync.model.hash.Hash;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Which chunks were found, or made, to be what their hashes say a short while ago: they need not be
 * read again to be relied on (hypersync.md 22.1). Bounded in number and in time, since disks rot.
 * Any thread; knows no clock.
 */
public final class IntactChunks {
  private final int maxChunks;
  private final long ttlNs;

  /** When it was so; the oldest first. */
  private final Map<Hash, Long> sinceNs = new LinkedHashMap<>();

  /**
   * None yet.
   *
   * @param maxChunks beyond which the oldest are forgotten; each takes some 150 bytes
   * @param ttlNs how long it is believed, nanoseconds
   */
  public IntactChunks(int maxChunks, long ttlNs) {
    this.maxChunks = maxChunks;
    this.ttlNs = ttlNs;
  }

  /** The chunk has just been stored, or read and compared with its hash. */
  public synchronized void add(Hash hash, long nowNs) {
    sinceNs.remove(hash);
    sinceNs.put(hash, nowNs);
    if (sinceNs.size() > maxChunks) {
      Iterator<Long> oldest = sinceNs.values().iterator();
      var _ = oldest.next();
      oldest.remove();
    }
  }

  /** Whether that is not long ago. */
  public synchronized boolean has(Hash hash, long nowNs) {
    Long since = sinceNs.get(hash);
    return since != null && nowNs - since < ttlNs;
  }

  /** The chunk was found damaged. */
  public synchronized void remove(Hash hash) {
    sinceNs.remove(hash);
  }
}
