package io.hypersync.leader.daemon;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.model.hash.Hash;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the most recently stored chunks in memory: other workers request them right away, and
 * serving them then needs neither a disk read nor another hash check.
 *
 * <p>Thread-safe. Every chunk here is in the store, too, and its bytes are never changed.
 */
final class RecentChunks {
  /** Approximate heap of a chunk besides its bytes. */
  private static final long CHUNK_OVERHEAD_BYTES = 150;

  private final long maxBytes;

  /** Oldest first. */
  private final Map<Hash, byte[]> chunks = new LinkedHashMap<>();

  private long bytes;

  /**
   * Starts empty.
   *
   * @param maxBytes of chunks with their overhead; beyond it the oldest are dropped
   */
  RecentChunks(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** Adds a chunk that is intact and stored. */
  synchronized void add(Chunk chunk) {
    if (chunks.putIfAbsent(chunk.hash(), chunk.bytes()) != null) {
      return;
    }
    bytes += cost(chunk.bytes());
    Iterator<byte[]> oldest = chunks.values().iterator();
    while (bytes > maxBytes) {
      bytes -= cost(oldest.next());
      oldest.remove();
    }
  }

  private static long cost(byte[] chunk) {
    return chunk.length + CHUNK_OVERHEAD_BYTES;
  }

  /** The chunk's bytes, which must not be changed; null if it was not stored recently. */
  synchronized byte @Nullable [] get(Hash hash) {
    return chunks.get(hash);
  }
}
