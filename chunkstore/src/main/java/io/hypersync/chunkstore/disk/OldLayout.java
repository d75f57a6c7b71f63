package io.hypersync.chunkstore.disk;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.model.hash.Hash;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
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
 * Migrates a store in the layout before segments: RocksDB in the directory itself, with the bytes
 * of each chunk under its hash in the default column family. Runs when the store is opened.
 */
final class OldLayout {
  private static final Logger LOG = LoggerFactory.getLogger(OldLayout.class);
  private static final int BATCH_BYTES = 1 << 20;

  /** The files of RocksDB in its directory, except CURRENT. */
  private static final String FILES =
      "{*.sst,*.blob,*.log,MANIFEST-*,OPTIONS-*,IDENTITY,LOCK,LOG,LOG.old.*}";

  private OldLayout() {}

  /**
   * Moves the chunks into segments durably, then removes the old database. After a crash the next
   * call continues; until the end, both copies are on the disk.
   */
  static void moveInto(DiskChunkStore store, Path directory) throws IOException {
    Path current = directory.resolve("CURRENT");
    Path moved = directory.resolve("CURRENT.moved");
    if (!Files.notExists(current)) {
      LOG.info("moving the chunks in {} to segments", directory);
      try {
        long count = move(store, directory.toString());
        store.checkpoint();
        LOG.info("{} chunks in {} are in segments now", count, directory);
      } catch (RocksDBException e) {
        throw RocksFailures.translateOpen(directory.toString(), e);
      }
      Files.move(current, moved, StandardCopyOption.ATOMIC_MOVE);
      ChunkSegmentFile.syncDirectory(directory);
    }
    // A missing CURRENT alone is no reason to delete anything: a user may be about to restore it.
    if (Files.exists(moved)) {
      try (DirectoryStream<Path> left = Files.newDirectoryStream(directory, FILES)) {
        for (Path file : left) {
          Files.delete(file);
        }
      }
      ChunkSegmentFile.syncDirectory(directory);
      Files.delete(moved);
    }
  }

  private static long move(DiskChunkStore store, String old) throws RocksDBException {
    List<ColumnFamilyHandle> handles = new ArrayList<>();
    try (Options plain = new Options();
        DBOptions options = new DBOptions();
        ColumnFamilyOptions family = new ColumnFamilyOptions();
        // Chunk hashes reveal damage, and one damaged chunk must not stop the others from being
        // moved.
        ReadOptions once = new ReadOptions().setFillCache(false).setVerifyChecksums(false)) {
      List<ColumnFamilyDescriptor> families =
          RocksDB.listColumnFamilies(plain, old).stream()
              .map(name -> new ColumnFamilyDescriptor(name, family))
              .toList();
      try (RocksDB db = RocksDB.openReadOnly(options, old, families, handles)) {
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
      Hash hash = Hash.read(chunk.key(), 0);
      moved++;
      if (!store.contains(hash)) {
        Chunk next = new Chunk(hash, chunk.value());
        batch.add(next);
        bytes += next.bytes().length;
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
