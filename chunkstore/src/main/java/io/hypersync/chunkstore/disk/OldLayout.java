package io.hypersync.chunkstore.disk;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.chunkstore.database.DatabaseException;
import io.hypersync.chunkstore.database.RocksDatabase;
import io.hypersync.model.hash.Hash;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
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
        long count = move(store, directory);
        store.checkpoint();
        LOG.info("{} chunks in {} are in segments now", count, directory);
      } catch (DatabaseException e) {
        throw new ChunkStoreException(
            e.errno(), "cannot open the chunk store: " + e.getMessage(), e);
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

  private static long move(DiskChunkStore store, Path old) {
    List<Chunk> batch = new ArrayList<>();
    long[] bytes = {0};
    long[] moved = {0};
    // Chunk hashes reveal damage, and one damaged chunk must not stop the others from being moved.
    RocksDatabase.readOnly(
        old,
        (key, value) -> {
          Hash hash = Hash.read(key, 0);
          moved[0]++;
          if (!store.contains(hash)) {
            batch.add(new Chunk(hash, value));
            bytes[0] += value.length;
          }
          if (bytes[0] >= BATCH_BYTES) {
            store.putAll(batch);
            batch.clear();
            bytes[0] = 0;
          }
        });
    store.putAll(batch);
    return moved[0];
  }
}
