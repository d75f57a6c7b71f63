package io.hypersync.chunkstore.rocks;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.chunkstore.ChunkStoreStats;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Chunks in RocksDB, the key being the hash and the value the bytes, with an index beside them that
 * says which are here.
 *
 * <p>When a write fails for lack of space, the next put or sync closes the database and opens it
 * again once there is space: RocksDB's own recovery polls every five seconds, and does not resume
 * at all if it was the write-ahead log that hit the end. Nothing is lost by that, since the failed
 * write is the last in the log. Any other failed write, and any failed sync, is final: what the
 * kernel has dropped cannot be known, so this store takes no more writes and its owner must start
 * over.
 */
public final class RocksChunkStore implements ChunkStore {
  private static final Logger LOG = LoggerFactory.getLogger(RocksChunkStore.class);

  private static final long REOPEN_SLACK_BYTES = 4 << 20;
  private static final long STALL_LIMIT_NS = 10_000_000_000L;
  private static final long STALL_POLL_NS = 1_000_000;

  private final Path directory;
  private final RocksChunkStoreOptions options;
  private final FileStore fileStore;

  /** Held exclusively to open and close: a native call on a closed handle ends the process. */
  private final ReadWriteLock lock = new ReentrantReadWriteLock();

  private @Nullable RocksHandle handle;
  private boolean closed;

  private volatile boolean reopenNeeded;
  private volatile @Nullable ChunkStoreException fatal;

  private RocksChunkStore(
      Path directory, RocksChunkStoreOptions options, FileStore fileStore, RocksHandle handle) {
    this.directory = directory;
    this.options = options;
    this.fileStore = fileStore;
    this.handle = handle;
  }

  /**
   * Opens the store in a directory of its own, which is created if it does not exist. Everything
   * that was written before, synced or not, is durable if it is still there afterwards.
   *
   * @throws ChunkStoreException {@link Errno#EBUSY} if it is open already, here or in another
   *     process; {@link Errno#ENOSPC}; {@link Errno#EIO}
   */
  public static RocksChunkStore open(Path directory, RocksChunkStoreOptions options) {
    RocksLibrary.load();
    try {
      Files.createDirectories(directory);
      FileStore fileStore = Files.getFileStore(directory);
      return new RocksChunkStore(
          directory, options, fileStore, new RocksHandle(directory.toString(), options));
    } catch (IOException e) {
      throw new ChunkStoreException(
          Errno.EIO, "cannot open the chunk store " + directory + ": " + e, e);
    } catch (RocksDBException e) {
      throw RocksFailures.translateOpen(directory.toString(), e);
    }
  }

  @Override
  public int length(Hash hash) {
    return read("cannot look up chunk " + hash, rocks -> rocks.length(hash.toBytes()));
  }

  @Override
  public byte @Nullable [] get(Hash hash) {
    lock.readLock().lock();
    try {
      return current().db().get(hash.toBytes());
    } catch (RocksDBException e) {
      throw RocksFailures.translate("cannot read chunk " + hash, e);
    } finally {
      lock.readLock().unlock();
    }
  }

  @Override
  public void put(Hash hash, byte[] bytes) {
    putAll(List.of(new Chunk(hash, bytes)));
  }

  @Override
  public void putAll(List<Chunk> chunks) {
    if (chunks.isEmpty()) {
      return;
    }
    write(rocks -> rocks.put(chunks));
  }

  @Override
  public void requireSpace() {
    requireSpace(options.reservedBytes());
  }

  @Override
  public void sync() {
    recoverIfNeeded();
    lock.readLock().lock();
    try {
      current().db().flushWal(true);
    } catch (RocksDBException e) {
      if (RocksFailures.followsAnEarlierFailure(e)) {
        reopenNeeded = true;
        throw RocksFailures.translate("cannot sync chunks", e);
      }
      throw fail(RocksFailures.translate("cannot sync chunks, giving up", e));
    } finally {
      lock.readLock().unlock();
    }
  }

  @Override
  public ChunkStoreStats stats() {
    return new ChunkStoreStats(
        read("cannot count chunks", r -> r.db().getLongProperty("rocksdb.estimate-num-keys")),
        bytesOnDisk());
  }

  @Override
  public void close() {
    lock.writeLock().lock();
    try {
      closed = true;
      closeHandle();
    } finally {
      lock.writeLock().unlock();
    }
  }

  private <T> T read(String failure, RocksRead<T> action) {
    lock.readLock().lock();
    try {
      return action.apply(current());
    } catch (RocksDBException e) {
      throw RocksFailures.translate(failure, e);
    } finally {
      lock.readLock().unlock();
    }
  }

  /**
   * Writes, and waits while RocksDB has to flush first, but not for ever: on a full disk the flush
   * that it waits for never succeeds, and RocksDB may not call that an error.
   */
  private void write(RocksWrite action) {
    long limitNs = System.nanoTime() + STALL_LIMIT_NS;
    while (!tryWrite(action, System.nanoTime() - limitNs >= 0)) {
      LockSupport.parkNanos(STALL_POLL_NS);
    }
  }

  /** Whether it is written; false if RocksDB wants to flush before it takes more. */
  private boolean tryWrite(RocksWrite action, boolean lastTry) {
    recoverIfNeeded();
    requireSpace(options.reservedBytes());
    lock.readLock().lock();
    try {
      action.apply(current());
      return true;
    } catch (RocksDBException e) {
      if (RocksFailures.isStall(e)) {
        if (!lastTry) {
          return false;
        }
        throw stalled(e);
      }
      ChunkStoreException failure = RocksFailures.translate("cannot store chunks", e);
      if (failure.errno() == Errno.ENOSPC || RocksFailures.followsAnEarlierFailure(e)) {
        reopenNeeded = true;
        throw failure;
      }
      throw fail(failure);
    } finally {
      lock.readLock().unlock();
    }
  }

  /** A flush has not come to an end for long: the disk is full, or only slow. */
  private ChunkStoreException stalled(RocksDBException e) {
    if (freeBytes() < Math.max(options.reservedBytes(), 2 * options.writeBufferBytes())) {
      reopenNeeded = true;
      return new ChunkStoreException(
          Errno.ENOSPC, "the chunk store " + directory + " cannot flush: the disk is full", e);
    }
    return new ChunkStoreException(
        Errno.EAGAIN, "the chunk store " + directory + " waits for a slow disk", e);
  }

  private ChunkStoreException fail(ChunkStoreException failure) {
    LOG.error("the chunk store {} takes no more writes: {}", directory, failure.getMessage());
    fatal = failure;
    return failure;
  }

  private RocksHandle current() {
    if (closed) {
      throw new IllegalStateException("the chunk store is closed");
    }
    if (handle == null) {
      throw new ChunkStoreException(
          fatal == null ? Errno.ENOSPC : Errno.EIO,
          "the chunk store " + directory + " could not be opened again after a failure");
    }
    return handle;
  }

  private void requireSpace(long bytes) {
    if (bytes > 0 && freeBytes() < bytes) {
      throw new ChunkStoreException(
          Errno.ENOSPC,
          "less than "
              + bytes
              + " bytes are free on the file system of the chunk store "
              + directory);
    }
  }

  private long freeBytes() {
    try {
      return fileStore.getUsableSpace();
    } catch (IOException e) {
      throw new ChunkStoreException(Errno.EIO, "cannot measure free space: " + e, e);
    }
  }

  private void recoverIfNeeded() {
    ChunkStoreException failure = fatal;
    if (failure != null) {
      throw new ChunkStoreException(
          failure.errno(), "the chunk store has failed: " + failure.getMessage(), failure);
    }
    if (reopenNeeded) {
      requireSpace(Math.max(options.reservedBytes(), bytesToReopen()));
      reopen();
    }
  }

  /** Opening writes what the memory tables hold; until that can succeed, reads shall go on. */
  private long bytesToReopen() {
    lock.readLock().lock();
    try {
      return handle == null
          ? 0
          : handle.db().getAggregatedLongProperty("rocksdb.cur-size-all-mem-tables")
              + REOPEN_SLACK_BYTES;
    } catch (RocksDBException e) {
      throw RocksFailures.translate("cannot measure the chunk store", e);
    } finally {
      lock.readLock().unlock();
    }
  }

  private void reopen() {
    lock.writeLock().lock();
    try {
      if (!reopenNeeded || closed) {
        return;
      }
      closeHandle();
      handle = new RocksHandle(directory.toString(), options);
      reopenNeeded = false;
      LOG.info("there is space again: the chunk store {} takes writes", directory);
    } catch (RocksDBException e) {
      ChunkStoreException failure = RocksFailures.translateOpen(directory.toString(), e);
      throw failure.errno() == Errno.ENOSPC ? failure : fail(failure);
    } finally {
      lock.writeLock().unlock();
    }
  }

  private void closeHandle() {
    if (handle != null) {
      handle.close();
      handle = null;
    }
  }

  private long bytesOnDisk() {
    long bytes = 0;
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      for (Path file : files) {
        bytes += sizeOrZero(file);
      }
    } catch (IOException e) {
      throw new ChunkStoreException(Errno.EIO, "cannot list " + directory + ": " + e, e);
    }
    return bytes;
  }

  private static long sizeOrZero(Path file) throws IOException {
    try {
      return Files.size(file);
    } catch (NoSuchFileException e) {
      return 0; // deleted in the background since it was listed
    }
  }

  @FunctionalInterface
  private interface RocksRead<T> {
    T apply(RocksHandle rocks) throws RocksDBException;
  }

  @FunctionalInterface
  private interface RocksWrite {
    void apply(RocksHandle rocks) throws RocksDBException;
  }
}
