package io.hypersync.chunkstore.disk;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.TestChunks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every chunk that was synced before a SIGKILL is there after it. */
@Tag("slow")
class DiskCrashTest {
  private static final int CRASHES = 4;
  private static final long CHUNKS_PER_RUN = 1_000_000;
  private static final int UNSYNCED = 20;

  @TempDir private Path directory;

  @Test
  void everySyncedChunkSurvivesEveryKill() throws IOException {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    long[] synced = new long[CRASHES];
    for (int run = 0; run < CRASHES; run++) {
      long first = run * CHUNKS_PER_RUN;
      long enough = first + 50 + random.nextInt(400);
      try (ChildJvm child = new ChildJvm(Writer.class, directory, first)) {
        while (synced[run] < enough) {
          String line = child.readLine();
          assertNotNull(line, "the child has ended on its own; seed " + seed);
          synced[run] = Long.parseLong(line);
        }
        child.kill();
        // Read the rest of the output: those chunks were synced, too.
        String line = child.readLine();
        while (line != null && line.length() == Long.toString(synced[run]).length()) {
          synced[run] = Long.parseLong(line);
          line = child.readLine();
        }
      }
      try (ChunkStore store = DiskChunkStore.open(directory, DiskChunkStoreTest.SMALL)) {
        for (int earlier = 0; earlier <= run; earlier++) {
          for (long i = earlier * CHUNKS_PER_RUN; i <= synced[earlier]; i++) {
            Chunk chunk = TestChunks.chunk(i);
            assertArrayEquals(
                chunk.bytes(),
                store.getVerified(chunk.hash()),
                "seed %d: chunk %d of run %d, synced up to %d, after crash %d"
                    .formatted(seed, i, earlier, synced[earlier], run));
          }
          // Chunks that were not synced may or may not be there, but never only in the index.
          for (long i = synced[earlier] + 1; i <= synced[earlier] + UNSYNCED; i++) {
            Chunk chunk = TestChunks.chunk(i);
            assertEquals(
                store.get(chunk.hash()) != null,
                store.contains(chunk.hash()),
                "seed %d: chunk %d of run %d, synced up to %d, after crash %d"
                    .formatted(seed, i, earlier, synced[earlier], run));
          }
        }
      }
    }
    try (Stream<Path> files = Files.list(directory.resolve("segments"))) {
      assertTrue(files.count() > 2, "the runs should be long enough for more than one segment");
    }
  }

  /**
   * Stores chunks in args[0], from number args[1] on, and prints the number of the last synced one.
   */
  static final class Writer {
    private Writer() {}

    public static void main(String[] args) {
      try (ChunkStore store = DiskChunkStore.open(Path.of(args[0]), DiskChunkStoreTest.SMALL)) {
        for (long i = Long.parseLong(args[1]); ; i++) {
          Chunk chunk = TestChunks.chunk(i);
          store.put(chunk.hash(), chunk.bytes());
          if (i % 3 == 0) {
            store.sync();
            System.out.println(i);
          }
        }
      }
    }
  }
}
