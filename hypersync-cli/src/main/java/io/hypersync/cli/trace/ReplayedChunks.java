package io.hypersync.cli.trace;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.worker.dataplane.ReceivedBlock;
import io.hypersync.worker.port.WorkerChunks;
import java.util.List;

/** Chunks of a replay, kept in any chunk store. A chunk is stored only if it matches its hash. */
public final class ReplayedChunks implements WorkerChunks {
  private final ChunkStore store;

  public ReplayedChunks(ChunkStore store) {
    this.store = store;
  }

  @Override
  public Presence presence(Hash hash) {
    return store.contains(hash) ? Presence.VERIFIED : Presence.MISSING;
  }

  /** Nothing to do: chunks are verified before they are stored. */
  @Override
  public void verify(ChunkRef chunk) {}

  /** There is no leader that asks. */
  @Override
  public void read(Hash hash) {}

  @Override
  public void storeInline(List<ChunkRef> chunks, byte[] payload) {
    List<Chunk> pieces = Chunk.split(chunks, payload, _ -> true);
    pieces.forEach(Chunk::requireIntact);
    store.putAll(pieces);
  }

  @Override
  public void ingest(Hash hash, byte[] bytes) {
    put(Chunk.verified(hash, bytes));
  }

  @Override
  public void decode(ReceivedBlock block) {
    throw new UnsupportedOperationException("a trace has no symbols");
  }

  /** Stores a chunk that the caller has verified. */
  void put(Chunk chunk) {
    store.putAll(List.of(chunk));
  }
}
