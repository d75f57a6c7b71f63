package io.hypersync.chunkstore.disk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.chunkstore.disk.SegmentWriter.Written;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class ChunkIndexTest {
  /** More chunks than fill() reads at a time. */
  private static final int MANY = 20_000;

  private static final long CACHE_BYTES = 1 << 20;

  @TempDir Path directory;

  @Test
  void whatAnEarlierRunEnteredIsFoundFromTheFirstMomentOn() throws IOException {
    enterMany();
    for (int run = 0; run < 5; run++) { // fill() may or may not finish before the first lookup
      try (ChunkIndex index = open()) {
        enter(index, MANY + run, MANY + run + 1);
        for (int round = 0; round < 3; round++) {
          for (int i = 0; i <= MANY + run; i++) {
            assertEquals(place(i), index.get(hash(i)), "chunk " + i + " in run " + run);
          }
        }
        assertNull(index.get(hash(-1)));
      }
    }
  }

  @Test
  @Timeout(30)
  void theFilterIsFilledInTheEndAndKnowsWhatWasEnteredMeanwhile() throws IOException {
    enterMany();
    try (ChunkIndex index = open()) {
      for (int next = MANY; !index.isFilled(); next++) {
        enter(index, next, next + 1);
        assertEquals(place(next), index.get(hash(next)));
      }
      for (int i = 0; i < MANY; i++) {
        assertEquals(place(i), index.get(hash(i)), "chunk " + i);
      }
      assertNull(index.get(hash(-1)));
    }
  }

  @Test
  @Timeout(30)
  void itCanBeClosedWhileTheFilterIsFilled() throws IOException {
    enterMany();
    for (int i = 0; i < 20; i++) {
      open().close();
    }
  }

  /** On a store that is only read, no write would reopen the index. */
  @Test
  @Timeout(60)
  @Tag("mount")
  void aReadOpensTheIndexAgainThatAFailedWriteHasLost() throws IOException, InterruptedException {
    try (SmallFileSystem disk = new SmallFileSystem(directory.resolve("disk"), 64)) {
      Path place = disk.resolve("index");
      try (ChunkIndex index = ChunkIndex.open(place, CACHE_BYTES, FreeSpace.of(directory))) {
        enter(index, 0, MANY);
        disk.fill();
        assertEquals(Errno.ENOSPC, enterUntilItFails(index).errno());
        Path elsewhere = Files.move(place, disk.resolve("elsewhere"));
        Files.createFile(place);
        disk.releaseBallast();
        assertThrows(ChunkStoreException.class, () -> enter(index, 0, 1), "cannot be opened");
        assertThrows(ChunkStoreException.class, () -> index.get(hash(0)), "is not open");
        Files.delete(place);
        assertThrows(ChunkStoreException.class, () -> getInTheEnd(index, 1_000), "is not here");
        if (Files.exists(place)) {
          Files.move(place, disk.resolve("what RocksDB left of trying"));
        }
        Files.move(elsewhere, place);
        assertEquals(place(0), getInTheEnd(index, 10_000));
        enter(index, MANY, MANY + 1);
        assertEquals(place(MANY), index.get(hash(MANY)));
      }
    }
  }

  private static ChunkStoreException enterUntilItFails(ChunkIndex index) {
    return assertThrows(
        ChunkStoreException.class,
        () -> {
          while (true) {
            enter(index, 0, MANY);
          }
        });
  }

  /** Looks up chunk 0 until that succeeds or the limit has passed; then throws the last failure. */
  private static @Nullable ChunkLocation getInTheEnd(ChunkIndex index, long limitMs)
      throws InterruptedException {
    long limitNs = System.nanoTime() + limitMs * 1_000_000;
    while (true) {
      try {
        return index.get(hash(0));
      } catch (ChunkStoreException e) {
        if (System.nanoTime() - limitNs >= 0) {
          throw e;
        }
        Thread.sleep(10);
      }
    }
  }

  /** Writes the index that an earlier run has left. */
  private void enterMany() throws IOException {
    try (ChunkIndex index = open()) {
      enter(index, 0, MANY);
    }
  }

  private ChunkIndex open() throws IOException {
    return ChunkIndex.open(directory.resolve("index"), CACHE_BYTES, FreeSpace.of(directory));
  }

  private static void enter(ChunkIndex index, int from, int to) {
    List<Written> all =
        IntStream.range(from, to).mapToObj(i -> new Written(hash(i), place(i))).toList();
    index.writePatiently(all, new Mark(1, to));
  }

  private static ChunkLocation place(int i) {
    return new ChunkLocation(i, 1, i);
  }

  private static Hash hash(int i) {
    return Blake3.hash(Integer.toString(i).getBytes(StandardCharsets.UTF_8));
  }
}
