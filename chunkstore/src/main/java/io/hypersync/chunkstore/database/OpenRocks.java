package io.hypersync.chunkstore.database;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompressionType;
import org.rocksdb.DBOptions;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksObject;
import org.rocksdb.WALRecoveryMode;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * An open RocksDB database, with the native objects that must be closed after it. Any thread may
 * read; one thread at a time may write, create or remove families.
 */
final class OpenRocks implements AutoCloseable {
  private static final double BLOOM_BITS_PER_KEY = 10;
  private static final double METADATA_SHARE = 0.9;
  private static final int MAX_OPEN_FILES = 128;
  private static final long MAX_INFO_LOG_BYTES = 1 << 20;

  private final Deque<RocksObject> owned = new ArrayDeque<>();
  private final RocksDB db;
  private final WriteOptions durably;
  private final ColumnFamilyOptions familyOptions;

  /** By name; replaced, never changed. */
  private volatile Map<String, ColumnFamilyHandle> families = Map.of();

  /**
   * Opens the database with all its families.
   *
   * @param again whether this process has had it open before and will repeat the write that failed.
   *     If not, the content of the write-ahead log is first flushed to table files, durably:
   *     another process may have left the end of that log only in the page cache, where a crash
   *     would lose it, and later logs would then be read without it
   */
  OpenRocks(String directory, DatabaseOptions options, boolean again) throws RocksDBException {
    boolean opened = false;
    try {
      // Fail a write that would have to wait for a flush: on a full disk the flush may never
      // finish.
      durably = own(new WriteOptions()).setSync(true).setNoSlowdown(true);
      familyOptions = familyOptions(options);
      List<ColumnFamilyHandle> handles = new ArrayList<>();
      db = own(RocksDB.open(options(again), directory, descriptors(directory), handles));
      Map<String, ColumnFamilyHandle> named = new HashMap<>();
      for (ColumnFamilyHandle handle : handles) {
        named.put(new String(handle.getName(), StandardCharsets.UTF_8), handle);
      }
      families = Map.copyOf(named);
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

  Set<String> families() {
    return families.keySet();
  }

  @Nullable ColumnFamilyHandle find(String family) {
    return families.get(family);
  }

  ColumnFamilyHandle family(String name) {
    ColumnFamilyHandle found = families.get(name);
    if (found == null) {
      throw new IllegalArgumentException("there is no family " + name);
    }
    return found;
  }

  void create(String name) throws RocksDBException {
    Map<String, ColumnFamilyHandle> more = new HashMap<>(families);
    if (more.containsKey(name)) {
      throw new IllegalArgumentException("there is a family " + name);
    }
    more.put(name, db.createColumnFamily(descriptor(name)));
    families = Map.copyOf(more);
  }

  /**
   * Drops a family; its rows stay readable for whoever has its handle.
   *
   * @return the handle, which must be closed when nobody uses it any more; null if there is no such
   *     family
   */
  @Nullable ColumnFamilyHandle drop(String name) throws RocksDBException {
    ColumnFamilyHandle handle = families.get(name);
    if (handle != null) {
      db.dropColumnFamily(handle);
      Map<String, ColumnFamilyHandle> fewer = new HashMap<>(families);
      fewer.remove(name);
      families = Map.copyOf(fewer);
    }
    return handle;
  }

  /** Writes the batch atomically and blocks until it is on stable storage. */
  void write(WriteBatch batch) throws RocksDBException {
    db.write(durably, batch);
  }

  @Override
  public void close() {
    families.values().forEach(ColumnFamilyHandle::close);
    families = Map.of();
    while (!owned.isEmpty()) {
      owned.pop().close();
    }
  }

  private List<ColumnFamilyDescriptor> descriptors(String directory) throws RocksDBException {
    List<ColumnFamilyDescriptor> found = new ArrayList<>();
    try (Options plain = new Options()) {
      for (byte[] name : RocksDB.listColumnFamilies(plain, directory)) {
        found.add(new ColumnFamilyDescriptor(name, familyOptions));
      }
    }
    return found.isEmpty() ? List.of(descriptor(Database.DEFAULT)) : found;
  }

  private ColumnFamilyDescriptor descriptor(String name) {
    return new ColumnFamilyDescriptor(name.getBytes(StandardCharsets.UTF_8), familyOptions);
  }

  private DBOptions options(boolean again) {
    return own(new DBOptions())
        // A database that has disappeared must not be recreated empty: it would contain nothing.
        .setCreateIfMissing(!again)
        .setMaxOpenFiles(MAX_OPEN_FILES)
        // A crash may leave a torn tail, of a batch that nobody was told is written.
        .setWalRecoveryMode(WALRecoveryMode.PointInTimeRecovery)
        // So a database that failed because the disk was full can be reopened with little free
        // space.
        .setAvoidFlushDuringRecovery(again)
        .setMaxLogFileSize(MAX_INFO_LOG_BYTES)
        .setKeepLogFileNum(2)
        .setStatsDumpPeriodSec(0);
  }

  private ColumnFamilyOptions familyOptions(DatabaseOptions options) {
    return own(new ColumnFamilyOptions())
        .setTableFormatConfig(table(options.cacheBytes()))
        .setWriteBufferSize(options.writeBufferBytes())
        .setCompressionType(CompressionType.NO_COMPRESSION);
  }

  private BlockBasedTableConfig table(long cacheBytes) {
    return new BlockBasedTableConfig()
        // One shard: a filter or index that is larger than a shard would not be kept, and each
        // lookup would read it anew. Most of the cache is for these.
        .setBlockCache(own(new LRUCache(cacheBytes, 0, false, METADATA_SHARE)))
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
