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
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Accepts chunks into memory immediately and writes them to the underlying store a few milliseconds
 * later, in large batches. Only for chunks whose loss in a crash is harmless, because the log or
 * the leader has them, too: a worker's, and the leader's small ones (hypersync.md 9.2). Closing
 * this store does not close the underlying one. Thread-safe; a background thread writes, and
 * callers of {@link #sync} and {@link #putAll} may do so as well.
 *
 * <p>An accepted chunk can be read at once: it leaves memory only when the underlying store has it,
 * and readers look into memory first. If the underlying store rejects a batch, all chunks stay in
 * memory, new ones are rejected with the same error, and the batch is retried until it succeeds. If
 * the underlying store is only slow, nothing is rejected before memory is full. Free space is also
 * checked before chunks are accepted, though not for every chunk. So a disk that fills up is
 * noticed a moment late, but no accepted chunk is dropped.
 */
public final class WriteBehindChunkStore implements ChunkStore {
  private static final Logger LOG = LoggerFactory.getLogger(WriteBehindChunkStore.class);

  /**
   * How long chunks accumulate before they are written: too short for anybody to notice, but much
   * longer than a write takes.
   */
  private static final long GATHER_NS = 20_000_000;

  /** How long the result of a free-space check is used; a check takes as long as hashing 30 KiB. */
  private static final long SPACE_CHECK_NS = 50_000_000;

  /** Delay before a rejected batch is retried. */
  private static final long RETRY_NS = 100_000_000;

  /**
   * With more bytes than this in memory, {@link #putAll} writes them itself before it returns, and
   * {@link #putAllIfAbsent} fails with EAGAIN.
   */
  private static final long MAX_BYTES = 16L * 1024 * 1024;

  private static final long BATCH_BYTES = 1024 * 1024;

  /** Number of chunks, up to 1 GiB of data, that are remembered as verified. */
  private static final int MAX_VERIFIED = 16_384;

  /** How long they count as verified. */
  private static final long VERIFIED_NS = 60_000_000_000L;

  /** Estimated heap overhead of a chunk in memory. */
  private static final long CHUNK_OVERHEAD_BYTES = 150;

  private final ChunkStore below;
  private final Map<Hash, Taken> taken = new ConcurrentHashMap<>();
  private final AtomicLong takenBytes = new AtomicLong();

  private final VerifiedChunks verified = new VerifiedChunks(MAX_VERIFIED, VERIFIED_NS);

  /**
   * Held while writing to the underlying store, so that {@link #sync} can wait for writes in
   * progress.
   */
  private final ReentrantLock writing = new ReentrantLock();

  private final Thread thread;
  private volatile boolean idle;
  private volatile boolean closed;

  /**
   * Why the last attempt to write failed, or null if it succeeded; written while {@link #writing}
   * is held.
   */
  private volatile @Nullable ChunkStoreException failure;

  private volatile long spaceCheckedNs = System.nanoTime() - SPACE_CHECK_NS;

  /**
   * A chunk that is still to be written.
   *
   * @param repairs whether to write it even if the underlying store already has it
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

  /**
   * Starts a write-behind store and its thread.
   *
   * @param below the underlying store; the caller closes it after this one
   * @param threadName name of the thread that writes
   */
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

  /** Reads the underlying store: a chunk that is only in memory yet is not there. */
  @Override
  public byte @Nullable [] getVerifiedFromDisk(Hash hash) {
    requireOpen();
    return below.getVerifiedFromDisk(hash);
  }

  /** Drops a copy in memory that is damaged, and reads the underlying store's copy instead. */
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
      writing.lock(); // wait until no batch with this copy is being written
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
        verified.add(hash, System.nanoTime());
      }
      return bytes;
    } catch (ChunkStoreException e) {
      verified.remove(hash);
      throw e;
    }
  }

  @Override
  public boolean isKnownVerified(Hash hash) {
    requireOpen();
    return taken.containsKey(hash)
        || (verified.has(hash, System.nanoTime()) && below.contains(hash));
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
   * Like {@link #putAll}, but never waits for the underlying store, and does not write a chunk that
   * the underlying store already has. That is checked later by the thread that writes, so the
   * caller need not check it.
   *
   * @throws ChunkStoreException {@link Errno#EAGAIN} if too much is in memory already, or as {@link
   *     #putAll}; no chunk has been accepted then
   */
  public void putAllIfAbsent(List<Chunk> chunks) {
    if (failure == null && takenBytes.get() > MAX_BYTES) {
      throw new ChunkStoreException(Errno.EAGAIN, "many chunks wait for the disk");
    }
    take(chunks, false);
  }

  /**
   * Whether {@link #putAll} would accept chunks now, neither rejecting them nor waiting for the
   * underlying store. If the caller is the only one that puts, the memory that is free now stays
   * free until its next put, which can still fail if a background write has failed meanwhile or the
   * disk is full.
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
      if (repairs) { // otherwise an older copy in the underlying store may be kept
        verified.add(chunk.hash(), nowNs);
      }
    }
    if (idle) {
      // Either the thread sees the chunks after it has set `idle`, or this thread sees `idle`.
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

  /** Whether the chunk is in memory and not yet in the underlying store. */
  public boolean isInMemory(Hash hash) {
    return taken.containsKey(hash);
  }

  /** The number of bytes, per-chunk overhead included, that are not yet in the underlying store. */
  public long bytesInMemory() {
    return takenBytes.get();
  }

  /**
   * Begins a collection of the underlying store. Chunks in memory are protected, because each is
   * put or asked for there before it leaves memory.
   */
  @Override
  public CollectionRun beginCollection(CollectionOptions options) {
    requireOpen();
    writing.lock(); // so that no batch relies on what the underlying store said before
    try {
      return below.beginCollection(options);
    } finally {
      writing.unlock();
    }
  }

  /** Chunks in memory are the newest of all. */
  @Override
  public Predicate<Hash> newest(long bytes) {
    requireOpen();
    Predicate<Hash> newestBelow = below.newest(bytes);
    return hash -> taken.containsKey(hash) || newestBelow.test(hash);
  }

  /** The size of the underlying store; chunks in memory are not counted. */
  @Override
  public ChunkStoreStats stats() {
    requireOpen();
    return below.stats();
  }

  /**
   * Stops the background thread and writes the chunks in memory to the underlying store; a failure
   * is only logged. Blocks meanwhile.
   */
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

  /** Blocks until everything accepted before this call is in the underlying store. */
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
      LOG.error("internal error while chunks were written", e);
      throw failed(
          new ChunkStoreException(
              Errno.EIO, "cannot write chunks: internal error, see the log", e));
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
      return; // an empty batch must not fail because the store is full
    }
    List<Chunk> chunks = new ArrayList<>(batch.size());
    batch.forEach((hash, chunk) -> chunks.add(new Chunk(hash, chunk.bytes)));
    below.putAll(chunks);
    batch.forEach(this::forget);
  }

  /**
   * Removes a chunk from memory that is not to be written any more. A newer copy that has replaced
   * it since stays.
   */
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
