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

/** An open RocksDB database, with the native option objects that must be closed after it. */
final class IndexDatabase implements AutoCloseable {
  private static final double BLOOM_BITS_PER_KEY = 10;
  private static final int MAX_OPEN_FILES = 128;
  static final long WRITE_BUFFER_BYTES = 4 << 20;
  private static final long MAX_INFO_LOG_BYTES = 1 << 20;

  private final Deque<RocksObject> owned = new ArrayDeque<>();
  private final RocksDB db;
  private final WriteOptions durably;

  /**
   * Opens the database.
   *
   * @param again whether this process has had it open before and will repeat the write that failed.
   *     If not, the content of the write-ahead log is first flushed to table files, durably:
   *     another process may have left the end of that log only in the page cache, where a crash
   *     would lose it, and later logs would then be read without it
   */
  IndexDatabase(String directory, long cacheBytes, boolean again) throws RocksDBException {
    boolean opened = false;
    try {
      // Fail a write that would have to wait for a flush: on a full disk the flush may never
      // finish.
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

  /** Writes the batch atomically and blocks until it is on stable storage. */
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
        // A database that has disappeared must not be recreated empty: it would contain no chunk.
        .setCreateIfMissing(!again)
        .setTableFormatConfig(table(cacheBytes))
        .setWriteBufferSize(WRITE_BUFFER_BYTES)
        .setMaxOpenFiles(MAX_OPEN_FILES)
        // A crash may leave a torn tail; its content is recovered from the segments.
        .setWalRecoveryMode(WALRecoveryMode.PointInTimeRecovery)
        // So a database that failed because the disk was full can be reopened with little free
        // space.
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
        // Charges the memory of indexes and filters to the cache instead of adding to it.
        .setCacheIndexAndFilterBlocks(true)
        .setPinL0FilterAndIndexBlocksInCache(true);
  }

  private <T extends RocksObject> T own(T object) {
    owned.push(object);
    return object;
  }
}
