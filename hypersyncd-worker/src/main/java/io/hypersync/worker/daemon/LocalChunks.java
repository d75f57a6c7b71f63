package io.hypersync.worker.daemon;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.chunkstore.WriteBehindChunkStore;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.worker.WorkerAgent;
import io.hypersync.worker.port.WorkerChunks;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
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

  /** These two are owned by the agent's thread. */
  private long queuedBytes;

  private boolean stopped;

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
    queuedBytes += bytes.length;
    if (queuedBytes > HIGH_WATER_BYTES && !stopped) {
      stopped = true;
      reading.accept(false);
    }
    incoming.execute(
        () -> {
          Consumer<WorkerAgent> outcome = store(hash, bytes);
          post.accept(
              agent -> {
                taken(bytes.length);
                outcome.accept(agent);
              });
        });
  }

  @Override
  public void close() {
    verifying.shutdownNow();
    verifying.close();
    incoming.close();
  }

  private Consumer<WorkerAgent> store(Hash hash, byte[] bytes) {
    try {
      Chunk chunk = Chunk.verified(hash, bytes);
      putPatiently(chunk);
      return agent -> agent.chunkStored(hash);
    } catch (ChunkStoreException e) {
      return agent -> agent.chunkFailed(hash, e.errno(), String.valueOf(e.getMessage()));
    }
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
