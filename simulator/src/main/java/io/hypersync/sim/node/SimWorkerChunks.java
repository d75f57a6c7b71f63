package io.hypersync.sim.node;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.sim.disk.SimChunkStore;
import io.hypersync.sim.world.Host;
import io.hypersync.sim.world.Prng;
import io.hypersync.worker.dataplane.BlockDecoder;
import io.hypersync.worker.dataplane.ReceivedBlock;
import io.hypersync.worker.port.WorkerChunks;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The worker's chunk port: fetched chunks are stored after random delays, in any order. */
final class SimWorkerChunks implements WorkerChunks {
  private static final long FASTEST_NS = 20_000;
  private static final long SLOWEST_NS = 5_000_000;

  private final BlockDecoder decoder = new BlockDecoder();
  private final SimChunkStore store;
  private final Host host;
  private final Prng prng;
  private final SimWorker worker;

  SimWorkerChunks(SimChunkStore store, Host host, Prng prng, SimWorker worker) {
    this.store = store;
    this.host = host;
    this.prng = prng;
    this.worker = worker;
  }

  @Override
  public Presence presence(Hash hash) {
    if (store.isKnownVerified(hash)) {
      return Presence.VERIFIED;
    }
    return store.contains(hash) ? Presence.UNVERIFIED : Presence.MISSING;
  }

  @Override
  public void verify(ChunkRef chunk) {
    host.after(
        prng.scale(FASTEST_NS, SLOWEST_NS),
        "",
        () -> {
          boolean intact = isIntact(chunk.hash());
          host.execute(
              () -> {
                if (intact) {
                  worker.stored(chunk.hash());
                } else {
                  worker.agent().chunkDamaged(chunk);
                }
              });
        });
  }

  private boolean isIntact(Hash hash) {
    try {
      return store.getVerified(hash) != null;
    } catch (ChunkStoreException e) {
      return false;
    }
  }

  @Override
  public void read(Hash hash) {
    host.after(
        prng.scale(FASTEST_NS, SLOWEST_NS),
        "",
        () -> {
          byte[] bytes = bytes(hash);
          host.execute(() -> worker.agent().chunkRead(hash, bytes));
        });
  }

  private byte @Nullable [] bytes(Hash hash) {
    try {
      return store.getVerified(hash);
    } catch (ChunkStoreException e) {
      return null;
    }
  }

  @Override
  public void storeInline(List<ChunkRef> chunks, byte[] payload) {
    for (Chunk chunk : Chunk.split(chunks, payload, _ -> true)) {
      chunk.requireIntact();
      store.put(chunk.hash(), chunk.bytes());
    }
  }

  @Override
  public void ingest(Hash hash, byte[] bytes) {
    host.after(prng.scale(FASTEST_NS, SLOWEST_NS), "", () -> store(hash, bytes));
  }

  @Override
  public void decode(ReceivedBlock block) {
    worker.settled(block.chunk());
    host.after(
        prng.scale(FASTEST_NS, SLOWEST_NS),
        "",
        () -> {
          byte[] bytes = decoder.decode(block);
          worker.decoding(block, bytes != null);
          if (bytes == null) {
            ChunkRef chunk = new ChunkRef(block.chunk(), block.block().dataBytes());
            host.execute(() -> worker.agent().chunkNotDecoded(chunk));
          } else {
            worker.decoded(block.chunk(), bytes);
            store(block.chunk(), bytes);
          }
        });
  }

  private void store(Hash hash, byte[] bytes) {
    try {
      store.put(hash, bytes);
      host.execute(() -> worker.stored(hash));
    } catch (ChunkStoreException e) {
      host.execute(() -> worker.notStored(hash, e.errno()));
    }
  }
}
