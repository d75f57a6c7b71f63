package io.hypersync.sim.node;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.chunkstore.Chunker;
import io.hypersync.model.hash.Hash;
import java.util.HashMap;
import java.util.Map;

/** Everything that processes have handed over to be written, chunk by chunk. */
public final class WrittenBytes {
  private final Map<Hash, byte[]> byHash = new HashMap<>();

  /** Nothing yet. */
  public WrittenBytes() {}

  /** A process writes this. */
  public void add(byte[] data) {
    for (Chunk chunk : Chunker.split(data)) {
      byHash.put(chunk.hash(), chunk.bytes());
    }
  }

  /** The chunks by hash. */
  public Map<Hash, byte[]> byHash() {
    return byHash;
  }
}
