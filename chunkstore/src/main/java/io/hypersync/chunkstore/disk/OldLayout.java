package io.hypersync.chunkstore.disk;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.model.hash.Hash;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A store as it was before there were segments: RocksDB in the directory itself, with the bytes of
 * each chunk under its hash in the default column family. Its chunks are moved when it is opened.
 */
final class OldLayout {
  private static final Logger LOG = LoggerFactory.getLogger(OldLayout.class);
  private static final int BATCH_BYTES = 1 << 20;

  private OldLayout() {}

  /** Moves them durably, then removes the old database. A crash on the way starts it over. */
  static void moveInto(DiskChunkStore store, Path directory) {
    if (!Files.exists(directory.resolve("CURRENT"))) {
      return;
    }
    LOG.info("moving the chunks in {} to segments", directory);
    String old = directory.toString();
    try {
      long moved = move(store, old);
      store.sync();
      try (Options options = new Options()) {
        RocksDB.destroyDB(old, options);
      }
      LOG.info("{} chunks in {} are in segments now", moved, directory);
    } catch (RocksDBException e) {
      throw RocksFailures.translateOpen(old, e);
    }
  }

  private static long move(DiskChunkStore store, String old) throws RocksDBException {
    List<ColumnFamilyHandle> handles = new ArrayList<>();
    try (Options plain = new Options();
        DBOptions options = new DBOptions();
        ColumnFamilyOptions family = new ColumnFamilyOptions();
        ReadOptions once = new ReadOptions().setFillCache(false)) {
      List<ColumnFamilyDescriptor> families =
          RocksDB.listColumnFamilies(plain, old).stream()
              .map(name -> new ColumnFamilyDescriptor(name, family))
              .toList();
      try (RocksDB db = RocksDB.open(options, old, families, handles)) {
        try (RocksIterator chunk = db.newIterator(once)) {
          return move(store, chunk);
        } finally {
          handles.forEach(ColumnFamilyHandle::close);
        }
      }
    }
  }

  private static long move(DiskChunkStore store, RocksIterator chunk) throws RocksDBException {
    List<Chunk> batch = new ArrayList<>();
    long bytes = 0;
    long moved = 0;
    for (chunk.seekToFirst(); chunk.isValid(); chunk.next()) {
      Chunk next = new Chunk(Hash.read(chunk.key(), 0), chunk.value());
      if (next.isIntact()) {
        batch.add(next);
        bytes += next.bytes().length;
        moved++;
      } else {
        LOG.warn("chunk {} is damaged and left behind", next.hash());
      }
      if (bytes >= BATCH_BYTES) {
        store.putAll(batch);
        batch.clear();
        bytes = 0;
      }
    }
    chunk.status();
    store.putAll(batch);
    return moved;
  }
}
