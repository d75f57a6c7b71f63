package io.hypersync.worker.daemon;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.chunkstore.WriteBehindChunkStore;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.raptorq.OctetRows;
import io.hypersync.runtime.agent.WarmUp;
import io.hypersync.worker.WorkerAgent;
import io.hypersync.worker.dataplane.BlockDecoder;
import io.hypersync.worker.dataplane.ReceivedBlock;
import io.hypersync.worker.port.WorkerChunks;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The worker's local chunks, as the agent's port. Chunks from the leader are hashed and stored on a
 * thread of their own; backpressure: when 16 MiB are queued there, the bulk stream is not read
 * until less than 4 MiB are left.
 */
final class LocalChunks implements WorkerChunks, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LocalChunks.class);
  private static final long HIGH_WATER_BYTES = 16L * 1024 * 1024;
  private static final long LOW_WATER_BYTES = 4L * 1024 * 1024;

  private final WriteBehindChunkStore store;
  private final Consumer<Consumer<WorkerAgent>> post;
  private final Consumer<Boolean> reading;

  /** These are owned by the agent's thread. */
  private long queuedBytes;

  private boolean stopped;
  private final WarmUp warmUp = new WarmUp("worker-symbols-warm-up", OctetRows::warmUp);

  /** Used by {@link #incoming} only. */
  private final BlockDecoder decoder = new BlockDecoder();

  private final ExecutorService incoming =
      Executors.newSingleThreadExecutor(
          Thread.ofPlatform().name("worker-chunks-in").daemon().factory());

  /** Verifies chunks that an earlier run has stored. */
  private final ExecutorService verifying =
      Executors.newSingleThreadExecutor(
          Thread.ofPlatform().name("worker-chunks-verify").daemon().factory());

  /**
   * The local chunks in a store.
   *
   * @param post runs a call on the agent's thread
   * @param reading stops ({@code false}) and resumes reading of the bulk stream; called on the
   *     agent's thread
   */
  LocalChunks(
      WriteBehindChunkStore store,
      Consumer<Consumer<WorkerAgent>> post,
      Consumer<Boolean> reading) {
    this.store = store;
    this.post = post;
    this.reading = reading;
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
    try {
      verifying.execute(() -> readAndTell(chunk));
    } catch (RejectedExecutionException e) {
      LOG.debug("the worker stops", e);
    }
  }

  /** Always posts an outcome, since an entry waits for it. */
  private void readAndTell(ChunkRef chunk) {
    boolean intact = false;
    try {
      intact = store.getVerified(chunk.hash()) != null;
    } catch (ChunkStoreException e) {
      LOG.warn("a chunk is fetched from the leader again: {}", e.getMessage());
    } finally {
      boolean isIntact = intact;
      post.accept(
          agent -> {
            if (isIntact) {
              agent.chunkStored(chunk.hash());
            } else {
              agent.chunkDamaged(chunk);
            }
          });
    }
  }

  @Override
  public void read(Hash hash) {
    try {
      verifying.execute(
          () -> {
            byte[] read = null;
            try {
              read = readQuietly(hash);
            } finally { // the leader waits for an answer
              byte[] bytes = read;
              post.accept(agent -> agent.chunkRead(hash, bytes));
            }
          });
    } catch (RejectedExecutionException e) {
      LOG.debug("the worker stops", e);
    }
  }

  private byte @Nullable [] readQuietly(Hash hash) {
    try {
      return store.getVerified(hash);
    } catch (ChunkStoreException e) {
      LOG.warn("the leader has lost a chunk that cannot be read here: {}", e.getMessage());
      return null;
    }
  }

  @Override
  public void storeInline(List<ChunkRef> chunks, byte[] payload) {
    // Skips only what this worker has in memory, having just written it; the disk is checked later,
    // by another thread.
    List<Chunk> pieces =
        Chunk.split(chunks, payload, ref -> ref.length() > 0 && !store.isInMemory(ref.hash()));
    pieces.forEach(Chunk::requireIntact);
    if (!pieces.isEmpty()) {
      store.putAllIfAbsent(pieces);
    }
  }

  @Override
  public void ingest(Hash hash, byte[] bytes) {
    queued(bytes.length);
    incoming.execute(
        () ->
            tell(
                bytes.length,
                agent -> agent.chunkFailed(hash, Errno.EIO, "internal error"),
                () -> store(hash, bytes)));
  }

  /**
   * Always posts an outcome, since an entry waits for it.
   *
   * @param taken so many bytes do not wait any more
   * @param failed the outcome after an error, such as a full heap
   */
  private void tell(int taken, Consumer<WorkerAgent> failed, Supplier<Consumer<WorkerAgent>> work) {
    Consumer<WorkerAgent> outcome = failed;
    try {
      outcome = work.get();
    } finally {
      Consumer<WorkerAgent> told = outcome;
      post.accept(
          agent -> {
            taken(taken);
            told.accept(agent);
          });
    }
  }

  @Override
  public void decode(ReceivedBlock block) {
    warmUp.begin();
    ChunkRef chunk = new ChunkRef(block.chunk(), block.block().dataBytes());
    // Does not count for what has the stream wait: the agent bounds it (worker.dataplane), and
    // what is asked for instead of it comes on the stream.
    incoming.execute(
        () -> tell(0, agent -> agent.chunkNotDecoded(chunk), () -> decodeAndStore(block)));
  }

  private Consumer<WorkerAgent> decodeAndStore(ReceivedBlock received) {
    Hash hash = received.chunk();
    byte[] bytes = decoder.decode(received);
    if (bytes == null) {
      ChunkRef chunk = new ChunkRef(hash, received.block().dataBytes());
      return agent -> agent.chunkNotDecoded(chunk);
    }
    Consumer<WorkerAgent> outcome = storeVerified(new Chunk(hash, bytes));
    return agent -> {
      agent.pushed().decoded();
      outcome.accept(agent);
    };
  }

  private void queued(int bytes) {
    queuedBytes += bytes;
    if (queuedBytes > HIGH_WATER_BYTES && !stopped) {
      stopped = true;
      reading.accept(false);
    }
  }

  @Override
  public void close() {
    verifying.shutdownNow();
    verifying.close();
    incoming.close();
  }

  private Consumer<WorkerAgent> store(Hash hash, byte[] bytes) {
    try {
      return storeVerified(Chunk.verified(hash, bytes));
    } catch (ChunkStoreException e) {
      return failed(hash, e);
    }
  }

  private Consumer<WorkerAgent> storeVerified(Chunk chunk) {
    try {
      putPatiently(chunk);
      return agent -> agent.chunkStored(chunk.hash());
    } catch (ChunkStoreException e) {
      return failed(chunk.hash(), e);
    }
  }

  private static Consumer<WorkerAgent> failed(Hash hash, ChunkStoreException e) {
    return agent -> agent.chunkFailed(hash, e.errno(), String.valueOf(e.getMessage()));
  }

  /** Retries while the disk is behind: this thread has nothing else to do. */
  private void putPatiently(Chunk chunk) {
    while (true) {
      try {
        store.put(chunk.hash(), chunk.bytes());
        return;
      } catch (ChunkStoreException e) {
        if (e.errno() != Errno.EAGAIN || incoming.isShutdown()) {
          throw e;
        }
      }
    }
  }

  private void taken(int bytes) {
    queuedBytes -= bytes;
    if (stopped && queuedBytes < LOW_WATER_BYTES) {
      stopped = false;
      reading.accept(true);
    }
  }
}
