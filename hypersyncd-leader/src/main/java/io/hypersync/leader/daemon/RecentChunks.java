package io.hypersync.leader.daemon;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.model.hash.Hash;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The chunks that were stored last, in memory: the other workers ask for them at once, and need not
 * wait for the disk, nor the leader hash again what it has just compared with its hash.
 *
 * <p>Any thread. What is here is in the store, too, and its bytes are never changed.
 */
final class RecentChunks {
  /** What a chunk takes beside its bytes, roughly. */
  private static final long CHUNK_OVERHEAD_BYTES = 150;

  private final long maxBytes;

  /** The oldest first. */
  private final Map<Hash, byte[]> chunks = new LinkedHashMap<>();

  private long bytes;

  /**
   * None yet.
   *
   * @param maxBytes of chunks and what they take beside, beyond which the oldest go
   */
  RecentChunks(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** Keeps a chunk that is intact and stored. */
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

  /** Its bytes, not to be changed; null if it was not stored lately. */
  synchronized byte @Nullable [] get(Hash hash) {
    return chunks.get(hash);
  }
}
