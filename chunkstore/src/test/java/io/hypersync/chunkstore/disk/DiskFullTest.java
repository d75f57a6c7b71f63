package io.hypersync.chunkstore.disk;

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
import java.util.function.LongConsumer;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A full disk gives ENOSPC, loses no chunk, and the store works again as soon as there is space
 * (hypersync.md 6.4.1).
 */
@Tag("mount")
class DiskFullTest {
  private static final int CHUNK_BYTES = 60_000;

  @TempDir private Path directory;

  @Test
  void refusesBeforeTheDiskIsFullAndGoesOnAtOnce() throws IOException {
    DiskChunkStoreOptions keepsTenFree =
        new DiskChunkStoreOptions(1 << 20, 8 << 20, 1 << 20, 10 << 20);
    try (SmallFileSystem disk = new SmallFileSystem(directory.resolve("disk"), 40);
        ChunkStore store = DiskChunkStore.open(disk.resolve("store"), keepsTenFree)) {
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

  /** A snapshot, without which a collection would keep all that was overwritten since. */
  @Test
  void whatMakesRoomIsStoredWhereOthersAreRefused() throws IOException {
    DiskChunkStoreOptions keepsTenFree =
        new DiskChunkStoreOptions(1 << 20, 8 << 20, 1 << 20, 10 << 20);
    try (SmallFileSystem disk = new SmallFileSystem(directory.resolve("disk"), 40);
        ChunkStore store = DiskChunkStore.open(disk.resolve("store"), keepsTenFree)) {
      disk.loadBallast(32);
      assertOutOfSpace(store, 1);
      Chunk page = TestChunks.chunk(2, CHUNK_BYTES);
      store.putAllToMakeRoom(List.of(page));
      store.sync();
      assertArrayEquals(page.bytes(), store.getVerified(page.hash()));
      disk.releaseBallast();
      disk.fill(); // a quarter of what is kept free is for the index
      Chunk other = TestChunks.chunk(3, CHUNK_BYTES);
      ChunkStoreException refused =
          assertThrows(ChunkStoreException.class, () -> store.putAllToMakeRoom(List.of(other)));
      assertEquals(Errno.ENOSPC, refused.errno());
    }
  }

  /** With frequent checkpoints the index runs out of space, too. */
  @ParameterizedTest(name = "a checkpoint every {0} KiB, {1} chunks at a time")
  @CsvSource({"64, 1", "1024, 1", "65536, 1", "64, 5", "65536, 5"})
  void recoversFromAFullDisk(int checkpointKib, int atATime) throws IOException {
    DiskChunkStoreOptions options =
        new DiskChunkStoreOptions(1 << 20, 4 << 20, (long) checkpointKib << 10, 0);
    try (SmallFileSystem disk = new SmallFileSystem(directory.resolve("disk"), 64)) {
      List<Chunk> stored = new ArrayList<>();
      try (ChunkStore store = DiskChunkStore.open(disk.resolve("store"), options)) {
        disk.loadBallast(40);
        putUntilOutOfSpace(store, atATime, stored);
        putUntilOutOfSpace(store, 1, stored);
        assertOutOfSpace(store, 1_000_000);
        assertAllThere(store, stored);
        disk.releaseBallast();
        stored.add(put(store, 1_000_000));
        store.sync();
        assertAllThere(store, stored);
      }
      try (ChunkStore store = DiskChunkStore.open(disk.resolve("store"), options)) {
        assertAllThere(store, stored);
      }
    }
  }

  @ParameterizedTest(name = "a checkpoint every {0} KiB")
  @ValueSource(ints = {64, 65_536})
  void recoversWhenManyThreadsRunIntoIt(int checkpointKib)
      throws IOException, InterruptedException, ExecutionException {
    DiskChunkStoreOptions options =
        new DiskChunkStoreOptions(1 << 20, 4 << 20, (long) checkpointKib << 10, 0);
    try (SmallFileSystem disk = new SmallFileSystem(directory.resolve("disk"), 64);
        ChunkStore store = DiskChunkStore.open(disk.resolve("store"), options);
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

  private static void putUntilOutOfSpace(ChunkStore store, int atATime, List<Chunk> stored) {
    untilOutOfSpace(
        i -> {
          List<Chunk> chunks =
              LongStream.range(i * atATime, (i + 1) * atATime)
                  .mapToObj(DiskFullTest::chunk)
                  .toList();
          store.putAll(chunks);
          stored.addAll(chunks);
        });
  }

  private static void putAndSyncUntilItFails(ChunkStore store, long first, List<Chunk> stored) {
    untilOutOfSpace(
        i -> {
          stored.add(put(store, first + i));
          store.sync();
        });
  }

  private static void untilOutOfSpace(LongConsumer put) {
    ChunkStoreException e =
        assertThrows(
            ChunkStoreException.class,
            () -> {
              for (long i = 0; ; i++) {
                put.accept(i);
              }
            });
    assertEquals(Errno.ENOSPC, e.errno(), e.getMessage());
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
    Chunk chunk = chunk(number);
    store.put(chunk.hash(), chunk.bytes());
    return chunk;
  }

  private static Chunk chunk(long number) {
    return TestChunks.chunk(number, CHUNK_BYTES);
  }
}
