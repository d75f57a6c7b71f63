package io.hypersync.chunkstore.disk;

import java.util.ArrayDeque;
import java.util.Deque;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.CompressionType;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksObject;
import org.rocksdb.WALRecoveryMode;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/** One opened database with the native objects that must outlive it. */
final class IndexDatabase implements AutoCloseable {
  private static final double BLOOM_BITS_PER_KEY = 10;
  private static final int MAX_OPEN_FILES = 128;
  static final long WRITE_BUFFER_BYTES = 4 << 20;
  private static final long MAX_INFO_LOG_BYTES = 1 << 20;

  private final Deque<RocksObject> owned = new ArrayDeque<>();
  private final RocksDB db;
  private final WriteOptions durably;

  /**
   * Opens it.
   *
   * @param again whether this process has had it open, and will repeat the write that failed. Else
   *     what is found in the write-ahead log is moved out of it, durably: another process may have
   *     left it to the kernel, which a crash takes it from, and later logs would be read without it
   */
  IndexDatabase(String directory, long cacheBytes, boolean again) throws RocksDBException {
    boolean opened = false;
    try {
      // A write that would have to wait for a flush fails instead: a full disk may never let it go.
      durably = own(new WriteOptions()).setSync(true).setNoSlowdown(true);
      db = own(RocksDB.open(options(cacheBytes, again), directory));
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

  long approximateCount() throws RocksDBException {
    return db.getLongProperty("rocksdb.estimate-num-keys");
  }

  /** Returns when all of it is on stable storage, or none. */
  void write(WriteBatch batch) throws RocksDBException {
    db.write(durably, batch);
  }

  @Override
  public void close() {
    while (!owned.isEmpty()) {
      owned.pop().close();
    }
  }

  private Options options(long cacheBytes, boolean again) {
    return own(new Options())
        // One that was here and is gone must not become an empty one, which knows no chunk.
        .setCreateIfMissing(!again)
        .setTableFormatConfig(table(cacheBytes))
        .setWriteBufferSize(WRITE_BUFFER_BYTES)
        .setMaxOpenFiles(MAX_OPEN_FILES)
        // A torn tail is what a crash leaves; the segments know what was in it.
        .setWalRecoveryMode(WALRecoveryMode.PointInTimeRecovery)
        // A database that a full disk has stopped can be opened again with little space.
        .setAvoidFlushDuringRecovery(again)
        .setCompressionType(CompressionType.NO_COMPRESSION)
        .setMaxLogFileSize(MAX_INFO_LOG_BYTES)
        .setKeepLogFileNum(2)
        .setStatsDumpPeriodSec(0);
  }

  private BlockBasedTableConfig table(long cacheBytes) {
    return new BlockBasedTableConfig()
        .setBlockCache(own(new LRUCache(cacheBytes)))
        .setFilterPolicy(own(new BloomFilter(BLOOM_BITS_PER_KEY, false)))
        // Memory for indexes and filters then comes out of the cache, not on top of it.
        .setCacheIndexAndFilterBlocks(true)
        .setPinL0FilterAndIndexBlocksInCache(true);
  }

  private <T extends RocksObject> T own(T object) {
    owned.push(object);
    return object;
  }
}
