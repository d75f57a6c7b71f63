package io.hypersync.chunkstore.disk;

import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.chunkstore.database.Batch;
import io.hypersync.chunkstore.database.Database;
import io.hypersync.chunkstore.database.DatabaseException;
import io.hypersync.chunkstore.database.DatabaseOptions;
import io.hypersync.chunkstore.database.RocksDatabase;
import io.hypersync.chunkstore.disk.SegmentWriter.Written;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
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
 * without a mark, recovery reads them from the start.
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
  private static final long WRITE_BUFFER_BYTES = 4 << 20;

  /** Number of keys that are read at a time to fill the filter; a reopen waits for that long. */
  private static final int FILL_SLICE = 4_096;

  private final Database database;

  /**
   * The hashes in the index; complete once {@link #filled} is true. A hash is added before it is
   * written to the database.
   */
  private final HashFilter filter;

  private final Thread filler;
  private volatile boolean filled;
  private volatile boolean closed;

  private ChunkIndex(Database database, long expected) {
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
    try {
      Database database =
          RocksDatabase.open(
              directory, new DatabaseOptions(cacheBytes, WRITE_BUFFER_BYTES), space::require);
      boolean started = false;
      try {
        ChunkIndex index = new ChunkIndex(database, database.approximateCount(Database.DEFAULT));
        index.filler.start();
        started = true;
        return index;
      } finally {
        if (!started) {
          database.close();
        }
      }
    } catch (DatabaseException e) {
      throw translated("cannot open the chunk store", e);
    }
  }

  /** Up to where the segments are indexed; null if the index is new. */
  @Nullable Mark mark() {
    byte[] mark = get("cannot read the index of chunks", MARK);
    return mark == null ? null : Mark.decode(mark);
  }

  @Nullable ChunkLocation get(Hash hash) {
    if (filled && !filter.mayContain(hash)) {
      return null;
    }
    byte[] place = get("cannot look up chunk " + hash, hash.toBytes());
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
    Slice slice = new Slice(reader);
    try {
      byte[] next = database.scan(Database.DEFAULT, from, count, slice::take);
      return slice.rest == null ? next : slice.rest;
    } catch (DatabaseException e) {
      throw translated("cannot read the index of chunks", e);
    }
  }

  /** Hands rows over until the reader has enough, and remembers the first one after those. */
  private static final class Slice {
    private final Predicate<Written> reader;
    private boolean goesOn = true;
    private byte @Nullable [] rest;

    Slice(Predicate<Written> reader) {
      this.reader = reader;
    }

    void take(byte[] key, byte[] value) {
      if (!goesOn) {
        rest = rest == null ? key : rest;
      } else if (key.length == Hash.BYTES) {
        goesOn = reader.test(new Written(Hash.read(key, 0), ChunkLocation.decode(value)));
      }
    }
  }

  long approximateCount() {
    try {
      return database.approximateCount(Database.DEFAULT);
    } catch (DatabaseException e) {
      throw translated("cannot count chunks", e);
    }
  }

  /**
   * Adds chunks and sets the mark, atomically and durably. One thread at a time.
   *
   * @throws ChunkStoreException {@link Errno#EAGAIN} if RocksDB is busy, {@link Errno#ENOSPC},
   *     {@link Errno#EIO}: the same call may succeed later
   */
  void write(List<Written> chunks, Mark mark) {
    write(chunks, mark, database::write);
  }

  /** Like {@link #write}, but while RocksDB is busy it retries for up to 10 seconds. */
  void writePatiently(List<Written> chunks, Mark mark) {
    write(chunks, mark, database::writePatiently);
  }

  private void write(List<Written> chunks, Mark mark, Consumer<Batch> writer) {
    chunks.forEach(written -> filter.add(written.hash()));
    Batch batch = new Batch();
    for (Written written : chunks) {
      batch.put(Database.DEFAULT, written.hash().toBytes(), written.place().encoded());
    }
    batch.put(Database.DEFAULT, MARK, mark.encoded());
    try {
      writer.accept(batch);
    } catch (DatabaseException e) {
      throw translated("cannot write the index of chunks", e);
    }
  }

  /**
   * Removes entries, atomically and durably; the filter keeps them. Retries like {@link
   * #writePatiently}. After a failure they may be removed now, or when the database is opened
   * again: the caller must repeat the call and meanwhile not rely on them. One thread at a time.
   */
  void remove(List<Hash> hashes) {
    Batch batch = new Batch();
    hashes.forEach(hash -> batch.delete(Database.DEFAULT, hash.toBytes()));
    try {
      database.writePatiently(batch);
    } catch (DatabaseException e) {
      throw translated("cannot write the index of chunks", e);
    }
  }

  @Override
  public void close() {
    closed = true;
    database.close();
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
        next = database.scan(Database.DEFAULT, next, FILL_SLICE, this::addToFilter);
      }
      filled = next == null;
    } catch (DatabaseException e) {
      LOG.warn("every chunk is looked up on the disk until the next start: {}", e.getMessage());
    } catch (IllegalStateException e) {
      LOG.debug("closed meanwhile", e);
    }
  }

  private void addToFilter(byte[] key, byte[] value) {
    if (key.length == Hash.BYTES) {
      filter.add(Hash.read(key, 0));
    }
  }

  private byte @Nullable [] get(String failure, byte[] key) {
    try {
      return database.get(Database.DEFAULT, key);
    } catch (DatabaseException e) {
      throw translated(failure, e);
    }
  }

  private static ChunkStoreException translated(String action, DatabaseException e) {
    return new ChunkStoreException(e.errno(), action + ": " + e.getMessage(), e);
  }
}
