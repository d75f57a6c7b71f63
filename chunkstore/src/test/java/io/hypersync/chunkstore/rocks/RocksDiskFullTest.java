package io.hypersync.chunkstore.rocks;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.chunkstore.TestChunks;
import io.hypersync.model.errno.Errno;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A full disk says so, loses nothing, and is over as soon as there is space (hypersync.md 6.4.1).
 */
class RocksDiskFullTest {
  private static final int CHUNK_BYTES = 60_000;

  @TempDir private Path directory;

  @Test
  void refusesBeforeTheDiskIsFullAndGoesOnAtOnce() throws IOException {
    RocksChunkStoreOptions keepsTenFree = new RocksChunkStoreOptions(1 << 20, 1 << 20, 2, 10 << 20);
    try (SmallFileSystem disk = new SmallFileSystem(directory.resolve("disk"), 40);
        ChunkStore store = RocksChunkStore.open(disk.resolve("store"), keepsTenFree)) {
      Chunk early = put(store, 1);
      disk.loadBallast(32);
      assertOutOfSpace(store, 2);
      assertArrayEquals(early.bytes(), store.getVerified(early.hash()), "reads go on");
      store.sync();
      disk.releaseBallast();
      Chunk late = put(store, 2);
      store.sync();
      assertArrayEquals(late.bytes(), store.getVerified(late.hash()));
    }
  }

  /** Small write buffers run out of space in a flush, large ones in the write-ahead log. */
  @ParameterizedTest(name = "write buffers of {0} MiB")
  @ValueSource(ints = {1, 4, 64})
  void recoversFromAFullDisk(int writeBufferMib) throws IOException {
    RocksChunkStoreOptions options =
        new RocksChunkStoreOptions(1 << 20, (long) writeBufferMib << 20, 2, 0);
    try (SmallFileSystem disk = new SmallFileSystem(directory.resolve("disk"), 64)) {
      List<Chunk> stored = new ArrayList<>();
      try (ChunkStore store = RocksChunkStore.open(disk.resolve("store"), options)) {
        disk.loadBallast(40);
        putUntilOutOfSpace(store, 0, stored);
        assertOutOfSpace(store, 1_000_000);
        assertAllThere(store, stored);
        disk.releaseBallast();
        stored.add(put(store, 1_000_000));
        store.sync();
        assertAllThere(store, stored);
      }
      try (ChunkStore store = RocksChunkStore.open(disk.resolve("store"), options)) {
        assertAllThere(store, stored);
      }
    }
  }

  @ParameterizedTest(name = "write buffers of {0} MiB")
  @ValueSource(ints = {1, 64})
  void recoversWhenManyThreadsRunIntoIt(int writeBufferMib)
      throws IOException, InterruptedException, ExecutionException {
    RocksChunkStoreOptions options =
        new RocksChunkStoreOptions(1 << 20, (long) writeBufferMib << 20, 2, 0);
    try (SmallFileSystem disk = new SmallFileSystem(directory.resolve("disk"), 64);
        ChunkStore store = RocksChunkStore.open(disk.resolve("store"), options);
        ExecutorService threads = Executors.newFixedThreadPool(4)) {
      disk.loadBallast(40);
      List<Future<List<Chunk>>> all = new ArrayList<>();
      for (int thread = 0; thread < 4; thread++) {
        int first = thread * 100_000;
        all.add(
            threads.submit(
                () -> {
                  List<Chunk> stored = new ArrayList<>();
                  putAndSyncUntilItFails(store, first, stored);
                  return stored;
                }));
      }
      List<Chunk> stored = new ArrayList<>();
      for (Future<List<Chunk>> one : all) {
        stored.addAll(one.get());
      }
      disk.releaseBallast();
      stored.add(put(store, 1_000_000));
      store.sync();
      assertAllThere(store, stored);
    }
  }

  private static void putUntilOutOfSpace(ChunkStore store, long first, List<Chunk> stored) {
    ChunkStoreException e =
        assertThrows(
            ChunkStoreException.class,
            () -> {
              for (long i = first; ; i++) {
                stored.add(put(store, i));
              }
            });
    assertEquals(Errno.ENOSPC, e.errno(), e.getMessage());
  }

  /** A sync may be told less than the put that failed: it says EIO then. */
  private static void putAndSyncUntilItFails(ChunkStore store, long first, List<Chunk> stored) {
    assertThrows(
        ChunkStoreException.class,
        () -> {
          for (long i = first; ; i++) {
            stored.add(put(store, i));
            store.sync();
          }
        });
  }

  private static void assertOutOfSpace(ChunkStore store, long number) {
    ChunkStoreException e = assertThrows(ChunkStoreException.class, () -> put(store, number));
    assertEquals(Errno.ENOSPC, e.errno(), e.getMessage());
  }

  private static void assertAllThere(ChunkStore store, List<Chunk> chunks) {
    for (Chunk chunk : chunks) {
      assertArrayEquals(chunk.bytes(), store.getVerified(chunk.hash()));
    }
  }

  private static Chunk put(ChunkStore store, long number) {
    Chunk chunk = TestChunks.chunk(number, CHUNK_BYTES);
    store.put(chunk.hash(), chunk.bytes());
    return chunk;
  }
}
