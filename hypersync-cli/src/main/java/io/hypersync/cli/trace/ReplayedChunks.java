package io.hypersync.cli.trace;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.worker.port.WorkerChunks;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The chunks of a replay: nothing is stored that does not match its hash. */
final class ReplayedChunks implements WorkerChunks {
  private final ChunkStore store;

  ReplayedChunks(ChunkStore store) {
    this.store = store;
  }

  @Override
  public boolean contains(Hash hash) {
    return store.contains(hash);
  }

  @Override
  public void storeInline(List<ChunkRef> chunks, byte[] payload) {
    List<Chunk> pieces = new ArrayList<>(chunks.size());
    int at = 0;
    for (ChunkRef ref : chunks) {
      pieces.add(Chunk.verified(ref.hash(), Arrays.copyOfRange(payload, at, at + ref.length())));
      at += ref.length();
    }
    store.putAll(pieces);
  }

  @Override
  public void ingest(Hash hash, byte[] bytes) {
    store.putAll(List.of(Chunk.verified(hash, bytes)));
  }
}
