package io.hypersync.chunkstore;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes chunks into memory at once and writes them to the store below a few milliseconds later,
 * many in one batch. For chunks whose loss in a crash is harmless because the log has them too: a
 * worker's, and the leader's small ones (hypersync.md 9.2). The store below is not closed with this
 * one.
 *
 * <p>A chunk that was taken can be read from then on: it leaves the memory only after the store
 * below has it, and readers look into the memory first. When the store below refuses a batch, what
 * is in memory stays there, more is refused with the same error, and the batch is tried again until
 * it succeeds; a store that is only slow refuses nothing before the memory is full. Whether there
 * is space is asked beforehand, too, though not for every chunk. So a disk that fills up just now
 * is noticed a moment late, and nothing that was taken is dropped.
 */
public final class WriteBehindChunkStore implements ChunkStore {
  private static final Logger LOG = LoggerFactory.getLogger(WriteBehindChunkStore.class);

  /** How long chunks gather; far below what anybody notices, far above the time of a write. */
  private static final long GATHER_NS = 20_000_000;

  /** How long an answer about free space is good for; asking takes as long as hashing 30 KiB. */
  private static final long SPACE_CHECK_NS = 50_000_000;

  /** How long to wait before a batch that was refused is tried again. */
  private static final long RETRY_NS = 100_000_000;

  /** With so much in memory a caller of put helps to write it down, or has to come again. */
  private static final long MAX_BYTES = 16L * 1024 * 1024;

  private static final long BATCH_BYTES = 1024 * 1024;

  /** So many chunks, up to 1 GiB of them, are known to be intact, */
  private static final int MAX_INTACT = 16_384;

  /** for so long. */
  private static final long INTACT_NS = 60_000_000_000L;

  /** What a chunk takes beside its bytes, roughly. */
  private static final long CHUNK_OVERHEAD_BYTES = 150;

  private final ChunkStore below;
  private final Map<Hash, Taken> taken = new ConcurrentHashMap<>();
  private final AtomicLong takenBytes = new AtomicLong();

  private final IntactChunks intact = new IntactChunks(MAX_INTACT, INTACT_NS);

  /** Held to write to the store below, so that {@link #sync} knows when it is done. */
  private final ReentrantLock writing = new ReentrantLock();

  private final Thread thread;
  private volatile boolean idle;
  private volatile boolean closed;

  /** Why the last attempt to write failed; written while {@link #writing} is held. */
  private volatile @Nullable ChunkStoreException failure;

  private volatile long spaceCheckedNs = System.nanoTime() - SPACE_CHECK_NS;

  /**
   * A chunk in memory.
   *
   * @param repairs whether it is written even if the store below has it
   */
  private record Taken(byte[] bytes, boolean repairs) {
    long cost() {
      return bytes.length + CHUNK_OVERHEAD_BYTES;
    }
  }

  private WriteBehindChunkStore(ChunkStore below, String threadName) {
    this.below = below;
    this.thread = Thread.ofPlatform().name(threadName).daemon().unstarted(this::run);
  }

  /** Begins to write behind to this store. */
  public static WriteBehindChunkStore start(ChunkStore below, String threadName) {
    WriteBehindChunkStore store = new WriteBehindChunkStore(below, threadName);
    store.thread.start();
    return store;
  }

  @Override
  public int length(Hash hash) {
    requireOpen();
    Taken chunk = taken.get(hash);
    return chunk != null ? chunk.bytes.length : below.length(hash);
  }

  @Override
  public byte @Nullable [] get(Hash hash) {
    requireOpen();
    Taken chunk = taken.get(hash);
    return chunk != null ? chunk.bytes.clone() : below.get(hash);
  }

  /** A copy in memory that is damaged goes; what the store below has may be better. */
  @Override
  public byte @Nullable [] getVerified(Hash hash) {
    requireOpen();
    Taken chunk = taken.get(hash);
    if (chunk == null) {
      return readBelow(hash);
    }
    try {
      ChunkStore.requireIntact(hash, chunk.bytes);
    } catch (ChunkStoreException e) {
      writing.lock(); // so that it is not just being written down
      try {
        forget(hash, chunk);
      } finally {
        writing.unlock();
      }
      byte[] other = readBelow(hash);
      if (other == null) {
        throw e;
      }
      return other;
    }
    return chunk.bytes.clone();
  }

  private byte @Nullable [] readBelow(Hash hash) {
    try {
      byte[] bytes = below.getVerified(hash);
      if (bytes != null) {
        intact.add(hash, System.nanoTime());
      }
      return bytes;
    } catch (ChunkStoreException e) {
      intact.remove(hash);
      throw e;
    }
  }

  @Override
  public boolean isKnownIntact(Hash hash) {
    requireOpen();
    return taken.containsKey(hash) || (intact.has(hash, System.nanoTime()) && below.contains(hash));
  }

  @Override
  public void put(Hash hash, byte[] bytes) {
    putAll(List.of(new Chunk(hash, bytes.clone())));
  }

  @Override
  public void putAll(List<Chunk> chunks) {
    take(chunks, true);
    if (takenBytes.get() > MAX_BYTES) {
      writeDown();
    }
  }

  /**
   * Like {@link #putAll}, but for a caller who must not wait for the store below. A chunk that it
   * has is not written there again; it is asked later, so the caller need not.
   *
   * @throws ChunkStoreException {@link Errno#EAGAIN} if there is too much in memory already; also
   *     as {@link #putAll} does. Nothing is taken then
   */
  public void putAllIfAbsent(List<Chunk> chunks) {
    if (failure == null && takenBytes.get() > MAX_BYTES) {
      throw new ChunkStoreException(Errno.EAGAIN, "many chunks wait for the disk");
    }
    take(chunks, false);
  }

  /**
   * Whether chunks are taken at once: neither refused nor with a wait for the store below. True
   * stays true until the next put, for a caller who is the only one to put.
   */
  public boolean takesAtOnce() {
    return failure == null && takenBytes.get() < MAX_BYTES / 2;
  }

  private void take(List<Chunk> chunks, boolean repairs) {
    requireOpen();
    ChunkStoreException refused = failure;
    if (refused != null) {
      throw new ChunkStoreException(refused.errno(), String.valueOf(refused.getMessage()), refused);
    }
    long nowNs = System.nanoTime();
    if (nowNs - spaceCheckedNs >= SPACE_CHECK_NS) {
      below.requireSpace();
      spaceCheckedNs = nowNs;
    }
    for (Chunk chunk : chunks) {
      Taken fresh = new Taken(chunk.bytes(), repairs);
      Taken waiting =
          repairs ? taken.put(chunk.hash(), fresh) : taken.putIfAbsent(chunk.hash(), fresh);
      if (waiting == null) {
        takenBytes.addAndGet(fresh.cost());
      }
      if (repairs) { // else it may not be written, and the store below has an older copy
        intact.add(chunk.hash(), nowNs);
      }
    }
    if (idle) {
      // Either the thread sees the chunks after it has set `idle`, or this sees `idle`.
      LockSupport.unpark(thread);
    }
  }

  @Override
  public void requireSpace() {
    below.requireSpace();
  }

  @Override
  public void sync() {
    requireOpen();
    writeDown();
    below.sync();
  }

  /** Whether the chunk was taken a moment ago and is not in the store below yet. */
  public boolean isInMemory(Hash hash) {
    return taken.containsKey(hash);
  }

  /** How many bytes, with what a chunk takes beside them, are not in the store below yet. */
  public long bytesInMemory() {
    return takenBytes.get();
  }

  /** Of the store below. */
  @Override
  public ChunkStoreStats stats() {
    requireOpen();
    return below.stats();
  }

  /** Writes down what is in memory, if that is possible. */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    LockSupport.unpark(thread);
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    try {
      writeDown();
    } catch (ChunkStoreException e) {
      LOG.warn("chunks are left to be fetched again: {}", e.getMessage());
    }
  }

  private void run() {
    while (!closed) {
      idle = true;
      while (taken.isEmpty() && !closed) {
        LockSupport.park(this);
      }
      idle = false;
      if (!closed) {
        LockSupport.parkNanos(this, GATHER_NS);
        tryWriteDown();
      }
    }
  }

  private void tryWriteDown() {
    try {
      writeDown();
    } catch (ChunkStoreException e) {
      LOG.debug("tried again soon", e);
      LockSupport.parkNanos(this, RETRY_NS);
    }
  }

  /** Returns when everything that had been taken before this call is in the store below. */
  private void writeDown() {
    writing.lock();
    try {
      writeBatches();
      if (failure != null) {
        failure = null;
        LOG.info("chunks can be stored again");
      }
    } catch (ChunkStoreException e) {
      throw failed(e);
    } catch (RuntimeException e) {
      LOG.error("a fault of ours while chunks were written", e);
      throw failed(
          new ChunkStoreException(
              Errno.EIO, "cannot write chunks: a fault of ours, which the log tells of", e));
    } finally {
      writing.unlock();
    }
  }

  private ChunkStoreException failed(ChunkStoreException e) {
    if (e.errno() != Errno.EAGAIN) {
      if (failure == null) {
        LOG.warn("chunks stay in memory for now: {}", e.getMessage());
      }
      failure = e;
    }
    return e;
  }

  private void writeBatches() {
    Map<Hash, Taken> batch = new LinkedHashMap<>();
    long bytes = 0;
    for (Map.Entry<Hash, Taken> entry : taken.entrySet()) {
      Taken chunk = entry.getValue();
      if (!chunk.repairs && below.contains(entry.getKey())) {
        forget(entry.getKey(), chunk);
        continue;
      }
      batch.put(entry.getKey(), chunk);
      bytes += chunk.bytes.length;
      if (bytes >= BATCH_BYTES) {
        write(batch);
        batch.clear();
        bytes = 0;
      }
    }
    write(batch);
  }

  private void write(Map<Hash, Taken> batch) {
    if (batch.isEmpty()) {
      return; // a store that refuses has not refused anything of ours
    }
    List<Chunk> chunks = new ArrayList<>(batch.size());
    batch.forEach((hash, chunk) -> chunks.add(new Chunk(hash, chunk.bytes)));
    below.putAll(chunks);
    batch.forEach(this::forget);
  }

  /** The store below has it. A copy that has come since, and repairs, stays. */
  private void forget(Hash hash, Taken chunk) {
    if (taken.remove(hash, chunk)) {
      takenBytes.addAndGet(-chunk.cost());
    }
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("the chunk store is closed");
    }
  }
}
