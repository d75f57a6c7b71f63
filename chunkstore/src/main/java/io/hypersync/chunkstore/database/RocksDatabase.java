package io.hypersync.chunkstore.database;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.text.FileFailures;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteBatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A database on RocksDB, in a directory of its own.
 *
 * <p>RocksDB takes seconds to recover from a full disk, or never does. So after a failed write it
 * is closed and reopened before the next one, which loses nothing, because the writer repeats the
 * failed write. If it cannot be reopened, reads also try from time to time, because there may be no
 * write for long.
 */
public final class RocksDatabase implements Database {
  private static final Logger LOG = LoggerFactory.getLogger(RocksDatabase.class);
  private static final long BUSY_LIMIT_NS = 10_000_000_000L;
  private static final long BUSY_POLL_NS = 1_000_000;

  /** Minimum delay between attempts of reads to reopen the database. */
  private static final long REOPEN_PAUSE_NS = 100_000_000;

  private final Path directory;
  private final DatabaseOptions options;
  private final LongConsumer requireSpace;

  /** Held exclusively to open and close: a native call on a closed handle crashes the process. */
  private final ReadWriteLock lock = new ReentrantReadWriteLock();

  /** Null after a failed reopen; written while {@link #lock} is held exclusively. */
  private volatile @Nullable OpenRocks open;

  private volatile boolean closed;

  /**
   * Whether a write has failed since {@link #open} was opened; it must then be reopened before the
   * next write.
   */
  private volatile boolean reopenNeeded;

  /** Time of the last attempt to reopen; guarded by {@link #lock}, held exclusively. */
  private long reopenTriedNs;

  private RocksDatabase(
      Path directory, DatabaseOptions options, LongConsumer requireSpace, OpenRocks open) {
    this.directory = directory;
    this.options = options;
    this.requireSpace = requireSpace;
    this.open = open;
  }

  /**
   * Opens the database, or creates an empty one, and its directory.
   *
   * @param requireSpace throws if the disk has less than so many bytes of free space. Asked before
   *     a failed database is reopened: until there is room, that one can still be read
   * @throws DatabaseException {@link Errno#EBUSY} if it is already open, in this or another
   *     process; {@link Errno#ENOSPC}; {@link Errno#EIO}
   */
  public static RocksDatabase open(
      Path directory, DatabaseOptions options, LongConsumer requireSpace) throws IOException {
    RocksLibrary.load();
    Files.createDirectories(directory);
    try {
      OpenRocks open = new OpenRocks(directory.toString(), options, false);
      return new RocksDatabase(directory, options, requireSpace, open);
    } catch (RocksDBException e) {
      throw RocksFailures.translateOpen(directory.toString(), e);
    }
  }

  /**
   * Opens the database, or creates an empty one, and its directory.
   *
   * @throws DatabaseException as {@link #open(Path, DatabaseOptions, LongConsumer)}
   */
  public static RocksDatabase open(Path directory, DatabaseOptions options) throws IOException {
    Files.createDirectories(directory);
    FileStore disk = Files.getFileStore(directory); // slow
    return open(directory, options, bytes -> requireSpace(directory, disk, bytes));
  }

  private static void requireSpace(Path directory, FileStore disk, long bytes) {
    try {
      if (disk.getUsableSpace() < bytes) {
        throw new DatabaseException(
            Errno.ENOSPC, "less than " + bytes + " bytes are free for " + directory, null);
      }
    } catch (IOException e) {
      throw new DatabaseException(
          Errno.EIO, "cannot measure free space: " + FileFailures.describe(e), e);
    }
  }

  /**
   * Reads the default family of a database that is not open, whatever it was written with, and
   * changes nothing. Checksums are not compared.
   */
  public static void readOnly(Path directory, RowConsumer rows) {
    RocksLibrary.load();
    List<ColumnFamilyHandle> handles = new ArrayList<>();
    try (Options plain = new Options();
        DBOptions options = new DBOptions();
        ColumnFamilyOptions family = new ColumnFamilyOptions();
        ReadOptions once = new ReadOptions().setFillCache(false).setVerifyChecksums(false)) {
      List<ColumnFamilyDescriptor> families =
          RocksDB.listColumnFamilies(plain, directory.toString()).stream()
              .map(name -> new ColumnFamilyDescriptor(name, family))
              .toList();
      try (RocksDB db = RocksDB.openReadOnly(options, directory.toString(), families, handles)) {
        try (RocksIterator row = db.newIterator(once)) {
          for (row.seekToFirst(); row.isValid(); row.next()) {
            rows.accept(row.key(), row.value());
          }
          row.status();
        } finally {
          handles.forEach(ColumnFamilyHandle::close);
        }
      }
    } catch (RocksDBException e) {
      throw RocksFailures.translateOpen(directory.toString(), e);
    }
  }

  @Override
  public byte @Nullable [] get(String family, byte[] key) {
    return read(
        rocks -> {
          ColumnFamilyHandle handle = rocks.find(family);
          return handle == null ? null : rocks.db().get(handle, key);
        });
  }

  /**
   * As {@link Database#write}.
   *
   * @throws DatabaseException {@link Errno#EAGAIN} if RocksDB is busy, {@link Errno#ENOSPC}, {@link
   *     Errno#EIO}: the same call may succeed later
   */
  @Override
  public void write(Batch batch) {
    change(
        rocks -> {
          try (WriteBatch writes = new WriteBatch()) {
            for (Batch.Change change : batch.changes()) {
              ColumnFamilyHandle family = rocks.family(change.family());
              byte[] value = change.value();
              if (value == null) {
                writes.delete(family, change.key());
              } else {
                writes.put(family, change.key(), value);
              }
            }
            rocks.write(writes);
          }
        });
  }

  @Override
  public void writePatiently(Batch batch) {
    long limitNs = System.nanoTime() + BUSY_LIMIT_NS;
    while (true) {
      try {
        write(batch);
        return;
      } catch (DatabaseException e) {
        if (e.errno() != Errno.EAGAIN || System.nanoTime() - limitNs >= 0) {
          throw e;
        }
        LockSupport.parkNanos(BUSY_POLL_NS);
      }
    }
  }

  @Override
  public Set<String> families() {
    Set<String> names = new TreeSet<>(read(OpenRocks::families));
    names.remove(DEFAULT);
    return names;
  }

  @Override
  public void createFamily(String family) {
    change(rocks -> rocks.create(family));
  }

  @Override
  public void dropFamily(String family) {
    @Nullable Dropped[] dropped = new Dropped[1];
    change(
        rocks -> {
          ColumnFamilyHandle handle = rocks.drop(family);
          dropped[0] = handle == null ? null : new Dropped(rocks, handle);
        });
    Dropped gone = dropped[0];
    if (gone != null) {
      release(gone);
    }
  }

  private record Dropped(OpenRocks from, ColumnFamilyHandle handle) {}

  /**
   * Closes the handle of a dropped family once everyone who may have found it has left. Closing
   * deletes files, which takes a while, so readers do not wait for it.
   */
  private void release(Dropped dropped) {
    lock.writeLock().lock();
    try {
      if (open != dropped.from) {
        return; // closed meanwhile, and a handle must not be closed after its database
      }
    } finally {
      lock.writeLock().unlock();
    }
    lock.readLock().lock();
    try {
      if (open == dropped.from) {
        dropped.handle.close();
      }
    } finally {
      lock.readLock().unlock();
    }
  }

  @Override
  public byte @Nullable [] scan(String family, byte[] from, int limit, RowConsumer rows) {
    return read(
        rocks -> {
          try (ReadOptions options = new ReadOptions().setFillCache(false);
              RocksIterator row = rocks.db().newIterator(rocks.family(family), options)) {
            int count = 0;
            for (row.seek(from); row.isValid(); row.next()) {
              byte[] key = row.key();
              if (count++ == limit) {
                return key;
              }
              rows.accept(key, row.value());
            }
            row.status();
            return null;
          }
        });
  }

  @Override
  public long approximateCount(String family) {
    return read(
        rocks -> rocks.db().getLongProperty(rocks.family(family), "rocksdb.estimate-num-keys"));
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

  private <T extends @Nullable Object> T read(RocksRead<T> action) {
    reopenIfLost();
    lock.readLock().lock();
    try {
      return action.apply(current());
    } catch (RocksDBException e) {
      throw RocksFailures.translate("cannot read the database " + directory, e);
    } finally {
      lock.readLock().unlock();
    }
  }

  private void change(RocksChange action) {
    reopenIfNeeded();
    lock.readLock().lock();
    try {
      action.apply(current());
    } catch (RocksDBException e) {
      reopenNeeded |= !RocksFailures.isStall(e);
      throw RocksFailures.translateWrite(directory.toString(), e);
    } finally {
      lock.readLock().unlock();
    }
  }

  private OpenRocks current() {
    if (closed) {
      throw new IllegalStateException("the database " + directory + " is closed");
    }
    OpenRocks now = open;
    if (now == null) {
      throw new DatabaseException(
          Errno.EIO,
          "the database " + directory + " could not be opened again after a failure",
          null);
    }
    return now;
  }

  /**
   * Reopens the database after a failed write. Not before there is free space: until then the
   * failed database can still be read.
   */
  private void reopenIfNeeded() {
    if (!reopenNeeded) {
      return;
    }
    // More than RocksDB writes then, a memory table and its own logs.
    requireSpace.accept(2 * options.writeBufferBytes());
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
    if (open != null || closed) {
      return;
    }
    lock.writeLock().lock();
    try {
      if (open == null && !closed && System.nanoTime() - reopenTriedNs >= REOPEN_PAUSE_NS) {
        reopen();
      }
    } finally {
      lock.writeLock().unlock();
    }
  }

  /** Opens the database; call with {@link #lock} held exclusively and no open database. */
  private void reopen() {
    try {
      open = new OpenRocks(directory.toString(), options, true);
      reopenNeeded = false;
      LOG.info("the database {} is open again after a failure", directory);
    } catch (RocksDBException e) {
      throw RocksFailures.translateOpen(directory.toString(), e);
    } finally {
      reopenTriedNs = System.nanoTime();
    }
  }

  private void closeDatabase() {
    OpenRocks now = open;
    if (now != null) {
      open = null;
      now.close();
    }
  }

  @FunctionalInterface
  private interface RocksRead<T extends @Nullable Object> {
    T apply(OpenRocks rocks) throws RocksDBException;
  }

  @FunctionalInterface
  private interface RocksChange {
    void apply(OpenRocks rocks) throws RocksDBException;
  }
}
