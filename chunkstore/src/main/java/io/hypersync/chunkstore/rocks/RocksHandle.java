package io.hypersync.chunkstore.rocks;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.chunkstore.ChunkStore;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.Cache;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompressionType;
import org.rocksdb.DBOptions;
import org.rocksdb.Filter;
import org.rocksdb.LRUCache;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.RocksObject;
import org.rocksdb.WALRecoveryMode;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * One opened database with the native objects that must outlive it.
 *
 * <p>Two column families, written together or not at all:
 *
 * <pre>
 * default   hash to bytes
 * index     hash to length (u32, big-endian): whether a chunk is here, without reading it
 *           one byte 1: every chunk is in the index
 * </pre>
 */
final class RocksHandle implements AutoCloseable {
  private static final double BLOOM_BITS_PER_KEY = 10;
  private static final long MIN_BLOB_BYTES = 4 << 10;
  private static final int MAX_OPEN_FILES = 512;
  private static final long MAX_INFO_LOG_BYTES = 1 << 20;
  private static final long SMOOTHING_BYTES = 1 << 20;
  private static final byte[] INDEX_NAME = "index".getBytes(StandardCharsets.US_ASCII);

  /** Shorter than any hash. */
  private static final byte[] INDEX_IS_WHOLE = {1};

  /** The same mark of an index without lengths, as it was before. */
  private static final byte[] INDEX_WITHOUT_LENGTHS = {0};

  private static final byte[] NOTHING = {};
  private static final int INDEX_BATCH = 1_000;

  /** An entry of the index takes no more memory than this part of what a chunk takes. */
  private static final int INDEX_SHARE = 4;

  private final Deque<RocksObject> owned = new ArrayDeque<>();
  private final RocksDB db;
  private final ColumnFamilyHandle chunks;
  private final ColumnFamilyHandle index;
  private final WriteOptions writeOptions;

  /** Recovers what the write-ahead log holds; all of that is durable afterwards. */
  RocksHandle(String directory, RocksChunkStoreOptions sizes) throws RocksDBException {
    boolean opened = false;
    try {
      // A write that would have to wait for a flush says so instead; the store waits, with a limit.
      writeOptions = own(new WriteOptions()).setNoSlowdown(true);
      BlockBasedTableConfig table = table(sizes);
      List<ColumnFamilyHandle> families = new ArrayList<>();
      db =
          own(
              RocksDB.open(
                  databaseOptions(sizes),
                  directory,
                  List.of(
                      new ColumnFamilyDescriptor(
                          RocksDB.DEFAULT_COLUMN_FAMILY, chunkOptions(sizes, table)),
                      new ColumnFamilyDescriptor(INDEX_NAME, indexOptions(sizes, table))),
                  families));
      chunks = own(families.get(0));
      index = own(families.get(1));
      completeIndex();
      opened = true;
    } finally {
      if (!opened) {
        close();
      }
    }
  }

  RocksDB db() {
    return db;
  }

  /** The length of a chunk, or {@link ChunkStore#NOT_HERE}; does not touch its bytes. */
  int length(byte[] hash) throws RocksDBException {
    byte[] length = new byte[Integer.BYTES];
    return db.get(index, hash, length) == RocksDB.NOT_FOUND
        ? ChunkStore.NOT_HERE
        : ByteBuffer.wrap(length).getInt();
  }

  /** Writes to the write-ahead log without waiting for the disk. */
  void put(List<Chunk> all) throws RocksDBException {
    try (WriteBatch batch = new WriteBatch()) {
      for (Chunk chunk : all) {
        byte[] hash = chunk.hash().toBytes();
        batch.put(chunks, hash, chunk.bytes());
        batch.put(index, hash, encoded(chunk.bytes().length));
      }
      db.write(writeOptions, batch);
    }
  }

  @Override
  public void close() {
    while (!owned.isEmpty()) {
      owned.pop().close();
    }
  }

  private DBOptions databaseOptions(RocksChunkStoreOptions sizes) {
    return own(new DBOptions())
        .setCreateIfMissing(true)
        .setCreateMissingColumnFamilies(true)
        // A chunk and its entry in the index come out of memory together, or a crash could leave
        // one without the other.
        .setAtomicFlush(true)
        .setMaxOpenFiles(MAX_OPEN_FILES)
        // Overwriting a log file's old blocks syncs in 120 us, extending a file in 200 us.
        .setRecycleLogFileNum(sizes.writeBufferCount() + 1L)
        // A torn tail is what a crash leaves and was never synced. What follows it is dropped too.
        .setWalRecoveryMode(WALRecoveryMode.PointInTimeRecovery)
        // A chunk recovered from a log that was never synced must not stay in that log: contains()
        // would be true, and sync() reach only the new log.
        .setAvoidFlushDuringRecovery(false)
        // Flushes reach the disk bit by bit instead of in one burst that a sync has to wait for.
        .setBytesPerSync(SMOOTHING_BYTES)
        .setMaxLogFileSize(MAX_INFO_LOG_BYTES)
        .setKeepLogFileNum(2)
        .setStatsDumpPeriodSec(0);
  }

  private ColumnFamilyOptions chunkOptions(
      RocksChunkStoreOptions sizes, BlockBasedTableConfig table) {
    return own(new ColumnFamilyOptions())
        .setTableFormatConfig(table)
        .setWriteBufferSize(sizes.writeBufferBytes())
        .setMaxWriteBufferNumber(sizes.writeBufferCount())
        // Large chunks stay out of the tree, so that compaction moves their keys only.
        .setEnableBlobFiles(true)
        .setMinBlobSize(MIN_BLOB_BYTES)
        // Nothing is deleted yet: collecting garbage would copy the oldest chunks again and again.
        .setEnableBlobGarbageCollection(false)
        .setCompressionType(CompressionType.NO_COMPRESSION)
        .setBlobCompressionType(CompressionType.NO_COMPRESSION);
  }

  private ColumnFamilyOptions indexOptions(
      RocksChunkStoreOptions sizes, BlockBasedTableConfig table) {
    return own(new ColumnFamilyOptions())
        .setTableFormatConfig(table)
        .setWriteBufferSize(sizes.writeBufferBytes() / INDEX_SHARE)
        .setMaxWriteBufferNumber(sizes.writeBufferCount())
        .setCompressionType(CompressionType.NO_COMPRESSION);
  }

  private BlockBasedTableConfig table(RocksChunkStoreOptions sizes) {
    Cache cache = own(new LRUCache(sizes.blockCacheBytes()));
    Filter filter = own(new BloomFilter(BLOOM_BITS_PER_KEY, false));
    return new BlockBasedTableConfig()
        .setBlockCache(cache)
        .setFilterPolicy(filter)
        // Memory for indexes and filters then comes out of the cache, not on top of it.
        .setCacheIndexAndFilterBlocks(true)
        .setPinL0FilterAndIndexBlocksInCache(true);
  }

  /**
   * Enters the chunks of a store that was made before there was an index with lengths. The mark
   * that it is whole is written last: a crash on the way leaves none, and it is all done again.
   */
  private void completeIndex() throws RocksDBException {
    if (db.get(index, INDEX_IS_WHOLE) != null) {
      return;
    }
    try (ReadOptions once = new ReadOptions().setFillCache(false);
        RocksIterator chunk = db.newIterator(chunks, once);
        WriteBatch batch = new WriteBatch()) {
      for (chunk.seekToFirst(); chunk.isValid(); chunk.next()) {
        batch.put(index, chunk.key(), encoded(chunk.value().length));
        if (batch.count() >= INDEX_BATCH) {
          db.write(writeOptions, batch);
          batch.clear();
        }
      }
      chunk.status();
      batch.delete(index, INDEX_WITHOUT_LENGTHS);
      batch.put(index, INDEX_IS_WHOLE, NOTHING);
      db.write(writeOptions, batch);
    }
  }

  private static byte[] encoded(int length) {
    return ByteBuffer.allocate(Integer.BYTES).putInt(length).array();
  }

  private <T extends RocksObject> T own(T object) {
    owned.push(object);
    return object;
  }
}
