package io.hypersync.sim.node;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.chunkstore.Chunker;
import io.hypersync.model.hash.Hash;
import java.util.HashMap;
import java.util.Map;

/** All bytes that processes have written, by chunk hash; independent of the chunk stores. */
public final class WrittenBytes {
  private final Map<Hash, byte[]> byHash = new HashMap<>();

  public WrittenBytes() {}

  /** Records the chunks of a write. */
  public void add(byte[] data) {
    for (Chunk chunk : Chunker.split(data)) {
      byHash.put(chunk.hash(), chunk.bytes());
    }
  }

  /** The chunks by hash; a live view. */
  public Map<Hash, byte[]> byHash() {
    return byHash;
  }
}
