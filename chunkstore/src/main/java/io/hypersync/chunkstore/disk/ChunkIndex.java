package io.hypersync.chunkstore.disk;

import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.chunkstore.disk.SegmentWriter.Written;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteBatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The index of the chunk store: where each chunk is, in RocksDB. Keys and values:
 *
 * <pre>
 * 32 bytes, a hash    {@link ChunkLocation}
 * one byte 1          {@link Mark}: up to where the segments are indexed
 * </pre>
 *
 * <p>The index contains only chunks that are durable in the segments, and can be rebuilt from them:
 * without a mark, recovery reads them from the start. RocksDB takes seconds to recover from a full
 * disk, or never does. So after a failed write the database is closed and reopened, which loses
 * nothing, because the writer repeats the failed write. If it cannot be reopened, reads also try
 * from time to time, because there may be no write for long.
 *
 * <p>Most lookups are for chunks that do not exist, for which RocksDB takes 10 us. A {@link
 * HashFilter} answers them at once, as soon as it has been filled, which a background thread does
 * after the index was opened.
 *
 * <p>Threads: any thread may read; one thread at a time may write.
 */
final class ChunkIndex implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ChunkIndex.class);
  private static final byte[] MARK = {1};

  /**
   * Free space needed to reopen: more than RocksDB writes then, a memory table and its own logs.
   */
  private static final long REOPEN_BYTES = 2 * IndexDatabase.WRITE_BUFFER_BYTES;

  private static final long BUSY_LIMIT_NS = 10_000_000_000L;
  private static final long BUSY_POLL_NS = 1_000_000;

  /** Minimum delay between attempts of reads to reopen the database. */
  private static final long REOPEN_PAUSE_NS = 100_000_000;

  /** Number of keys that are read at a time to fill the filter; a reopen waits for that long. */
  private static final int FILL_SLICE = 4_096;

  private final Path directory;
  private final long cacheBytes;
  private final FreeSpace space;

  /** Held exclusively to open and close: a native call on a closed handle crashes the process. */
  private final ReadWriteLock lock = new ReentrantReadWriteLock();

  /**
   * The hashes in the index; complete once {@link #filled} is true. A hash is added before it is
   * written to the database.
   */
  private final HashFilter filter;

  private final Thread filler;
  private volatile boolean filled;

  /** Null after a failed reopen; written while {@link #lock} is held exclusively. */
  private volatile @Nullable IndexDatabase database;

  private volatile boolean closed;

  /**
   * Whether a write has failed since {@link #database} was opened; it must then be reopened before
   * the next write.
   */
  private volatile boolean reopenNeeded;

  /** Time of the last attempt to reopen; guarded by {@link #lock}, held exclusively. */
  private long reopenTriedNs;

  private ChunkIndex(
      Path directory, long cacheBytes, FreeSpace space, IndexDatabase database, long expected) {
    this.directory = directory;
    this.cacheBytes = cacheBytes;
    this.space = space;
    this.database = database;
    this.filter = new HashFilter(expected);
    this.filler = Thread.ofPlatform().name("chunk-index-fill").daemon().unstarted(this::fill);
  }

  /**
   * Opens the index in a directory of its own, which is created if it does not exist.
   *
   * @throws ChunkStoreException {@link Errno#EBUSY} if it is already open, in this or another
   *     process; {@link Errno#ENOSPC}; {@link Errno#EIO}
   */
  static ChunkIndex open(Path directory, long cacheBytes, FreeSpace space) throws IOException {
    RocksLibrary.load();
    Files.createDirectories(directory);
    try {
      IndexDatabase database = new IndexDatabase(directory.toString(), cacheBytes, false);
      boolean started = false;
      try {
        ChunkIndex index =
            new ChunkIndex(directory, cacheBytes, space, database, database.approximateCount());
        index.filler.start();
        started = true;
        return index;
      } finally {
        if (!started) {
          database.close();
        }
      }
    } catch (RocksDBException e) {
      throw RocksFailures.translateOpen(directory.toString(), e);
    }
  }

  /** Up to where the segments are indexed; null if the index is new. */
  @Nullable Mark mark() {
    byte[] mark = read("cannot read the index of chunks", db -> db.db().get(MARK));
    return mark == null ? null : Mark.decode(mark);
  }

  @Nullable ChunkLocation get(Hash hash) {
    if (filled && !filter.mayContain(hash)) {
      return null;
    }
    byte[] place = read("cannot look up chunk " + hash, db -> db.db().get(hash.toBytes()));
    return place == null ? null : ChunkLocation.decode(place);
  }

  /**
   * Reads entries in the order of their hashes.
   *
   * @param from where to begin: empty, or the result of the last call
   * @param count how many to read at most
   * @param reader receives each entry; returns whether to go on
   * @return where to continue, or null at the end
   */
  byte @Nullable [] entries(byte[] from, int count, Predicate<Written> reader) {
    return read("cannot read the index of chunks", db -> entries(db.db(), from, count, reader));
  }

  private static byte @Nullable [] entries(
      RocksDB db, byte[] from, int count, Predicate<Written> reader) throws RocksDBException {
    try (ReadOptions options = new ReadOptions().setFillCache(false);
        RocksIterator all = db.newIterator(options)) {
      int left = count;
      boolean more = true;
      for (all.seek(from); all.isValid(); all.next()) {
        byte[] key = all.key();
        if (!more || left == 0) {
          return key;
        }
        if (key.length == Hash.BYTES) {
          left--;
          more = reader.test(new Written(Hash.read(key, 0), ChunkLocation.decode(all.value())));
        }
      }
      all.status(); // throws if it has ended because of a failure
      return null;
    }
  }

  long approximateCount() {
    return read("cannot count chunks", IndexDatabase::approximateCount);
  }

  /**
   * Adds chunks and sets the mark, atomically and durably. One thread at a time.
   *
   * @throws ChunkStoreException {@link Errno#EAGAIN} if RocksDB is busy, {@link Errno#ENOSPC},
   *     {@link Errno#EIO}: the same call may succeed later
   */
  void write(List<Written> chunks, Mark mark) {
    chunks.forEach(written -> filter.add(written.hash()));
    write(
        batch -> {
          for (Written written : chunks) {
            batch.put(written.hash().toBytes(), written.place().encoded());
          }
          batch.put(MARK, mark.encoded());
        });
  }

  /** Like {@link #write}, but while RocksDB is busy it retries for up to 10 seconds. */
  void writePatiently(List<Written> chunks, Mark mark) {
    patiently(() -> write(chunks, mark));
  }

  /**
   * Removes entries, atomically and durably; the filter keeps them. Retries like {@link
   * #writePatiently}. After a failure they may be removed now, or when the database is opened
   * again: the caller must repeat the call and meanwhile not rely on them. One thread at a time.
   */
  void remove(List<Hash> hashes) {
    patiently(
        () ->
            write(
                batch -> {
                  for (Hash hash : hashes) {
                    batch.delete(hash.toBytes());
                  }
                }));
  }

  private void write(RocksChange change) {
    reopenIfNeeded();
    lock.readLock().lock();
    try (WriteBatch batch = new WriteBatch()) {
      change.addTo(batch);
      current().write(batch);
    } catch (RocksDBException e) {
      if (RocksFailures.isStall(e)) {
        throw new ChunkStoreException(
            Errno.EAGAIN, "the index of chunks in " + directory + " waits for the disk", e);
      }
      reopenNeeded = true;
      throw RocksFailures.translate("cannot write the index of chunks", e);
    } finally {
      lock.readLock().unlock();
    }
  }

  private static void patiently(Runnable write) {
    long limitNs = System.nanoTime() + BUSY_LIMIT_NS;
    while (true) {
      try {
        write.run();
        return;
      } catch (ChunkStoreException e) {
        if (e.errno() != Errno.EAGAIN || System.nanoTime() - limitNs >= 0) {
          throw e;
        }
        LockSupport.parkNanos(BUSY_POLL_NS);
      }
    }
  }

  @Override
  public void close() {
    lock.writeLock().lock();
    try {
      closed = true;
      closeDatabase();
    } finally {
      lock.writeLock().unlock();
    }
  }

  /** Whether the filter is in use, for tests. */
  boolean isFilled() {
    return filled;
  }

  /**
   * Adds all hashes in the database to the filter. A hash that is written meanwhile is added by the
   * thread that writes it, so it does not matter whether the iteration misses it.
   */
  private void fill() {
    try {
      byte[] next = new byte[0];
      while (next != null && !closed) {
        next =
            entries(
                next,
                FILL_SLICE,
                written -> {
                  filter.add(written.hash());
                  return true;
                });
      }
      filled = next == null;
    } catch (ChunkStoreException e) {
      LOG.warn("every chunk is looked up on the disk until the next start: {}", e.getMessage());
    } catch (IllegalStateException e) {
      LOG.debug("closed meanwhile", e);
    }
  }

  private <T> T read(String failure, RocksRead<T> action) {
    reopenIfLost();
    lock.readLock().lock();
    try {
      return action.apply(current());
    } catch (RocksDBException e) {
      throw RocksFailures.translate(failure, e);
    } finally {
      lock.readLock().unlock();
    }
  }

  private IndexDatabase current() {
    if (closed) {
      throw new IllegalStateException("the chunk store is closed");
    }
    IndexDatabase open = database;
    if (open == null) {
      throw new ChunkStoreException(
          Errno.EIO, "the index in " + directory + " could not be opened again after a failure");
    }
    return open;
  }

  /**
   * Reopens the database after a failed write. Not before there is free space: until then the
   * failed database can still be read.
   */
  private void reopenIfNeeded() {
    if (!reopenNeeded) {
      return;
    }
    space.require(REOPEN_BYTES);
    lock.writeLock().lock();
    try {
      if (reopenNeeded && !closed) { // a read may have reopened it
        closeDatabase();
        reopen();
      }
    } finally {
      lock.writeLock().unlock();
    }
  }

  /**
   * Tries to reopen a database that could not be reopened, without regard to free space: there is
   * none to read from, so nothing can be lost.
   */
  private void reopenIfLost() {
    if (database != null || closed) {
      return;
    }
    lock.writeLock().lock();
    try {
      if (database == null && !closed && System.nanoTime() - reopenTriedNs >= REOPEN_PAUSE_NS) {
        reopen();
      }
    } finally {
      lock.writeLock().unlock();
    }
  }

  /** Opens the database; call with {@link #lock} held exclusively and no open database. */
  private void reopen() {
    try {
      database = new IndexDatabase(directory.toString(), cacheBytes, true);
      reopenNeeded = false;
      LOG.info("the index in {} is open again after a failure", directory);
    } catch (RocksDBException e) {
      throw RocksFailures.translateOpen(directory.toString(), e);
    } finally {
      reopenTriedNs = System.nanoTime();
    }
  }

  private void closeDatabase() {
    IndexDatabase open = database;
    if (open != null) {
      database = null;
      open.close();
    }
  }

  @FunctionalInterface
  private interface RocksChange {
    void addTo(WriteBatch batch) throws RocksDBException;
  }

  @FunctionalInterface
  private interface RocksRead<T> {
    T apply(IndexDatabase database) throws RocksDBException;
  }
}
