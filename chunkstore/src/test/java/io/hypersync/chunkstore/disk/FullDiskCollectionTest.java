package io.hypersync.chunkstore.disk;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.chunkstore.CollectionOptions;
import io.hypersync.chunkstore.CollectionProgress;
import io.hypersync.chunkstore.CollectionRun;
import io.hypersync.chunkstore.TestChunks;
import io.hypersync.model.errno.Errno;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A collection on a full disk makes room, or says that it cannot and goes on later. */
@Tag("mount")
class FullDiskCollectionTest {
  private static final int CHUNK_BYTES = 60_000;

  /** More than the index needs to recover from a full disk. */
  private static final int SEGMENT_BYTES = 12 << 20;

  private static final int PER_SEGMENT = SEGMENT_BYTES / (CHUNK_BYTES + 44);
  private static final int CHUNKS = 6 * PER_SEGMENT + 10;
  private static final DiskChunkStoreOptions OPTIONS =
      new DiskChunkStoreOptions(1 << 20, SEGMENT_BYTES, 1 << 20, 0);

  /** Every how many steps the disk is full; filling it takes long. */
  private static final int EVERY = 97;

  @TempDir private Path directory;

  private final List<Chunk> chunks =
      IntStream.range(0, CHUNKS).mapToObj(i -> TestChunks.chunk(i, CHUNK_BYTES)).toList();

  /** Without a free byte and with a reserve. */
  @ParameterizedTest(name = "one living chunk of {0}")
  @ValueSource(ints = {2, 3, 10})
  void goesOnInItsReserve(int every) throws IOException {
    IntPredicate live = i -> i % every == 0;
    CollectionOptions options = new CollectionOptions(40, true);
    try (SmallFileSystem disk = new SmallFileSystem(directory.resolve("disk"), 160);
        DiskChunkStore store = DiskChunkStore.open(disk.resolve("store"), OPTIONS)) {
      fill(store);
      collect(store, options, _ -> true);
      Path reserve = disk.resolve("store").resolve("reserve");
      assertEquals(SEGMENT_BYTES, Files.size(reserve));
      disk.fill();
      CollectionProgress done = collect(store, options, live);
      assertEquals(6, done.segmentsDeleted());
      requireAll(store, live);
      store.put(chunks.get(1).hash(), chunks.get(1).bytes());
      disk.releaseBallast();
      collect(store, options, live);
      assertEquals(SEGMENT_BYTES, Files.size(reserve), "made again");
      requireAll(store, live);
    }
  }

  @Test
  void stopsAndGoesOnOnceThereIsRoom() throws IOException {
    IntPredicate live = i -> i % 2 == 0;
    try (SmallFileSystem disk = new SmallFileSystem(directory.resolve("disk"), 160)) {
      try (DiskChunkStore store = DiskChunkStore.open(disk.resolve("store"), OPTIONS)) {
        fill(store);
        leaveFree(disk, 1 << 20);
        try (CollectionRun run = store.beginCollection(new CollectionOptions(40, false))) {
          mark(run, live);
          for (int i = 0; i < 3; i++) {
            ChunkStoreException e =
                assertThrows(ChunkStoreException.class, () -> run.sweep(Long.MAX_VALUE));
            assertEquals(Errno.ENOSPC, e.errno(), e.getMessage());
            assertEquals(0, run.progress().segmentsDeleted());
          }
          requireAll(store, live);
          disk.releaseBallast();
          assertTrue(run.sweep(Long.MAX_VALUE).isDone());
          assertEquals(6, run.finish().segmentsDeleted());
        }
        requireAll(store, live);
      }
      try (DiskChunkStore store = DiskChunkStore.open(disk.resolve("store"), OPTIONS)) {
        requireAll(store, live);
      }
    }
  }

  /** There is no room for any copy before a segment with nothing alive has gone. */
  @Test
  void deletesFirstWhatNeedsNoCopies() throws IOException {
    IntPredicate live = i -> i % 2 == 0 && i / PER_SEGMENT != 4;
    try (SmallFileSystem disk = new SmallFileSystem(directory.resolve("disk"), 160);
        DiskChunkStore store = DiskChunkStore.open(disk.resolve("store"), OPTIONS)) {
      fill(store);
      leaveFree(disk, 1 << 20);
      CollectionProgress done = collect(store, new CollectionOptions(40, false), live);
      assertEquals(6, done.segmentsDeleted());
      requireAll(store, live);
    }
  }

  /** The disk becomes full in the middle of copies. */
  @Test
  void findsTheDiskFullInTheMiddle() throws IOException {
    IntPredicate live = i -> i % 2 == 0;
    try (SmallFileSystem disk = new SmallFileSystem(directory.resolve("disk"), 160);
        DiskChunkStore store = DiskChunkStore.open(disk.resolve("store"), OPTIONS)) {
      fill(store);
      CollectionRun run = store.beginCollection(new CollectionOptions(40, false));
      mark(run, live);
      boolean done = false;
      int refused = 0;
      for (int step = 0; !done; step++) {
        boolean full = step % EVERY == 1;
        if (full) {
          disk.fill();
        }
        try {
          done = run.sweep(0).isDone();
        } catch (ChunkStoreException e) {
          assertEquals(Errno.ENOSPC, e.errno(), e.getMessage());
          assertTrue(full, e.getMessage());
          refused++;
        }
        if (full) {
          disk.releaseBallast();
        }
        assertTrue(step < 10_000, "does not end");
      }
      assertTrue(refused > 0, "the disk was never full");
      requireAll(store, live);
    }
  }

  private void fill(DiskChunkStore store) {
    for (Chunk chunk : chunks) {
      store.put(chunk.hash(), chunk.bytes());
    }
    store.checkpoint();
  }

  private CollectionProgress collect(
      DiskChunkStore store, CollectionOptions options, IntPredicate live) {
    try (CollectionRun run = store.beginCollection(options)) {
      mark(run, live);
      assertTrue(run.sweep(Long.MAX_VALUE).isDone());
      return run.finish();
    }
  }

  private void mark(CollectionRun run, IntPredicate live) {
    IntStream.range(0, CHUNKS).filter(live).forEach(i -> run.mark(chunks.get(i).hash()));
  }

  private void requireAll(DiskChunkStore store, IntPredicate live) {
    for (int i = 0; i < CHUNKS; i++) {
      if (live.test(i)) {
        assertArrayEquals(chunks.get(i).bytes(), store.getVerified(chunks.get(i).hash()));
      }
    }
  }

  private static void leaveFree(SmallFileSystem disk, int bytes) throws IOException {
    long free = Files.getFileStore(disk.resolve("")).getUsableSpace();
    Files.write(disk.resolve("ballast"), new byte[(int) free - bytes]);
  }
}
