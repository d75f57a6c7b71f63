package io.hypersync.chunkstore.disk;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.chunkstore.TestChunks;
import io.hypersync.model.errno.Errno;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests writes past the page cache, on filesystems with and without O_DIRECT. */
class LargeChunksTest {
  private static final int FULL = 65_536;
  private static final DiskChunkStoreOptions ROOMY =
      new DiskChunkStoreOptions(1 << 20, 64 << 20, 64 << 20, 0);

  @TempDir private Path temp;

  private Path store() {
    return temp.resolve("store");
  }

  /**
   * Checks the offset of a batch in the segment after one small chunk, and the offset of its end.
   */
  @ParameterizedTest(
      name = "{0} chunks of {1} bytes behind one of 100: the first at {2}, the end at {3}")
  @CsvSource({
    "1, 65536, 144, 65724", // too few
    "100, 4000, 144, 404544", // too small
    "2, 65536, 4096, 139264",
    "20, 65536, 4096, 1323008", // more than the writer's buffer holds
    "10, 20000, 4096, 204800",
  })
  void largeBatchesBeginAndEndWithABlock(int count, int bytes, int begin, int end)
      throws IOException {
    try (DiskChunkStore store = DiskChunkStore.open(store(), ROOMY)) {
      store.putAll(List.of(TestChunks.chunk(1, 100)));
      store.putAll(chunks(100, count, bytes));
    }
    List<Integer> records = records();
    assertEquals(List.of(0, begin), records.subList(0, 2));
    assertEquals(1 + count, records.size());
    assertEquals(end, Files.size(segments().getLast()));
  }

  /** With the index, without it, and with records that were not indexed yet. */
  @ParameterizedTest(name = "{0}")
  @CsvSource({"with its index", "without its index"})
  void areFoundAgainAndTheSegmentGoesOn(String index) throws IOException {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    List<Chunk> all = new ArrayList<>();
    for (int run = 0; run < 6; run++) {
      try (DiskChunkStore store = DiskChunkStore.open(store(), ROOMY)) {
        for (Chunk chunk : all) {
          assertArrayEquals(
              chunk.bytes(), store.getVerified(chunk.hash()), "seed " + seed + ", run " + run);
        }
        for (int batch = 0; batch < 5; batch++) {
          int bytes = random.nextBoolean() ? FULL : 1 + random.nextInt(FULL);
          List<Chunk> chunks = chunks(random.nextLong(), 1 + random.nextInt(20), bytes);
          store.putAll(chunks);
          all.addAll(chunks);
        }
      }
      if (index.startsWith("without")) {
        deleteIndex();
      }
    }
    assertEquals(1, segments().size(), "padding is no torn tail; seed " + seed);
  }

  /** ramfs does not support O_DIRECT. */
  @ParameterizedTest
  @CsvSource({"tmpfs", "ramfs"})
  @Tag("mount")
  void anyFilesystemWillDo(String type) throws IOException {
    List<Chunk> chunks = chunks(1, 40, FULL);
    Path point = temp.resolve("disk");
    try (SmallFileSystem disk =
        type.equals("ramfs") ? SmallFileSystem.ramfs(point) : new SmallFileSystem(point, 16)) {
      for (int run = 0; run < 2; run++) {
        try (DiskChunkStore store = DiskChunkStore.open(disk.resolve("store"), ROOMY)) {
          store.putAll(chunks.subList(run * 20, (run + 1) * 20));
          store.sync();
          for (Chunk chunk : chunks.subList(0, (run + 1) * 20)) {
            assertArrayEquals(chunk.bytes(), store.getVerified(chunk.hash()));
            assertArrayEquals(chunk.bytes(), store.getVerifiedFromDisk(chunk.hash()));
          }
        }
      }
    }
  }

  /** At any place in a block, of any length, and up to the end of the segment. */
  @Test
  void whatIsReadPastTheCacheIsWhatIsReadThroughIt() throws IOException {
    List<Chunk> all = new ArrayList<>();
    try (DiskChunkStore store = DiskChunkStore.open(store(), ROOMY)) {
      for (int length : new int[] {1, 4_052, 4_096, 8_148, FULL - 1, FULL, 0, 100, FULL, 5}) {
        List<Chunk> some = chunks(length, 3, length);
        store.putAll(some);
        all.addAll(some);
        for (Chunk chunk : all) {
          assertArrayEquals(chunk.bytes(), store.getVerifiedFromDisk(chunk.hash()));
        }
      }
      assertNull(store.getVerifiedFromDisk(TestChunks.chunk(-1, 10).hash()));
    }
  }

  @Test
  void whatHasRottenDoesNotCountAnyMoreUntilItIsStoredAgain() throws IOException {
    Chunk chunk = TestChunks.chunk(1, FULL);
    try (DiskChunkStore store = DiskChunkStore.open(store(), ROOMY)) {
      store.putAll(List.of(chunk));
      byte[] segment = Files.readAllBytes(segments().getLast());
      segment[segment.length - 1] ^= 1;
      Files.write(segments().getLast(), segment);
      ChunkStoreException rotten =
          assertThrows(ChunkStoreException.class, () -> store.getVerifiedFromDisk(chunk.hash()));
      assertEquals(Errno.EIO, rotten.errno());
      assertFalse(store.contains(chunk.hash()));
      store.putAll(List.of(chunk));
      assertArrayEquals(chunk.bytes(), store.getVerifiedFromDisk(chunk.hash()));
    }
  }

  @Test
  void aSegmentThatEndsWithinAChunkIsDamage() throws IOException {
    Chunk chunk = TestChunks.chunk(1, FULL);
    try (DiskChunkStore store = DiskChunkStore.open(store(), ROOMY)) {
      store.putAll(List.of(chunk));
      Path segment = segments().getLast();
      for (int bytes : new int[] {FULL, 4_096, 50, 0}) {
        Files.write(segment, Arrays.copyOf(Files.readAllBytes(segment), bytes));
        assertThrows(
            ChunkStoreException.class, () -> store.getVerifiedFromDisk(chunk.hash()), "" + bytes);
      }
    }
  }

  /**
   * A full disk can store the header of a record but not all of its bytes. The next batch starts
   * after that header, within the range that it claims; recovery must find the records of that
   * batch.
   */
  @Test
  @Tag("mount")
  void whatAFullDiskHasCutOffHidesNothing() throws IOException {
    Chunk before = TestChunks.chunk(1, 100);
    Chunk cutOff = TestChunks.chunk(2, 60_000);
    List<Chunk> after = chunks(3, 4, FULL);
    try (SmallFileSystem disk = new SmallFileSystem(temp.resolve("disk"), 16)) {
      Path directory = disk.resolve("store");
      try (DiskChunkStore store = DiskChunkStore.open(directory, ROOMY)) {
        store.putAll(List.of(before));
        disk.fill();
        assertThrows(ChunkStoreException.class, () -> store.putAll(List.of(cutOff)));
        disk.releaseBallast();
        store.putAll(after);
        store.sync();
      }
      try (DiskChunkStore store = DiskChunkStore.open(directory, ROOMY)) {
        for (Chunk chunk : after) {
          assertArrayEquals(chunk.bytes(), store.getVerified(chunk.hash()));
        }
        assertArrayEquals(before.bytes(), store.getVerified(before.hash()));
        assertFalse(store.contains(cutOff.hash()));
      }
    }
  }

  /** Java closes the channel of a thread that is interrupted while it writes. */
  @Test
  void anInterruptWaits() throws Exception {
    List<Chunk> chunks = chunks(1, 200, FULL);
    try (DiskChunkStore store = DiskChunkStore.open(store(), ROOMY)) {
      Thread writer =
          Thread.ofPlatform()
              .start(
                  () -> {
                    for (int i = 0; i < chunks.size(); i += 4) {
                      store.putAll(chunks.subList(i, i + 4));
                    }
                  });
      while (writer.isAlive()) {
        writer.interrupt();
        Thread.sleep(1);
      }
      for (Chunk chunk : chunks) {
        assertArrayEquals(chunk.bytes(), store.getVerified(chunk.hash()));
      }
    }
    assertEquals(
        chunks.size() / 4,
        records().stream().filter(at -> at % SegmentRecord.BLOCK_BYTES == 0).count(),
        "each batch went past the page cache");
  }

  private static List<Chunk> chunks(long first, int count, int bytes) {
    return IntStream.range(0, count).mapToObj(i -> TestChunks.chunk(first + i, bytes)).toList();
  }

  /** The offsets of the records in the only segment. */
  private List<Integer> records() throws IOException {
    ChunkSegmentFiles files = new ChunkSegmentFiles(store().resolve("segments"));
    List<Integer> found = new ArrayList<>();
    try (files) {
      for (Map.Entry<Integer, Long> segment : files.lengths().entrySet()) {
        SegmentScan scan =
            new SegmentScan(files, segment.getKey(), segment.getValue(), (_, at) -> found.add(at));
        int end = 0;
        boolean more = true;
        while (more) {
          SegmentScan.Portion portion = scan.next(end);
          end = portion.end();
          more = portion.more();
        }
        assertEquals(segment.getValue(), end, "the padding counts");
      }
    }
    return found;
  }

  private List<Path> segments() throws IOException {
    try (Stream<Path> files = Files.list(store().resolve("segments"))) {
      return files.sorted().toList();
    }
  }

  private void deleteIndex() throws IOException {
    Path index = store().resolve("index");
    try (Stream<Path> files = Files.list(index)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(index);
  }
}
