package io.hypersync.disk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.disk.DiskChunkStore;
import io.hypersync.chunkstore.disk.DiskChunkStoreOptions;
import io.hypersync.runtime.file.DurableFiles;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Chunks that were synced survive a kill of the process and the power cuts that follow it:
 * immediately, or after the store was opened and closed once more. Checkpoints and segments are so
 * small that each is reached hundreds of times. Needs root and /dev/fuse, and fails without them.
 */
@Timeout(180)
@Tag("mount")
class ChunkStorePowerCutTest {
  private static final int KILLS = 8;
  private static final long CHUNKS_PER_RUN = 1_000_000;

  /**
   * Of this many chunks, the first {@link #BURST} are large and stored together, so that they
   * bypass the page cache.
   */
  private static final int BURST_EVERY = 20;

  private static final int BURST = 4;
  private static final DiskChunkStoreOptions SMALL =
      new DiskChunkStoreOptions(1 << 20, 512 << 10, 128 << 10, 0);

  @TempDir Path temp;

  private final long seed = System.nanoTime();
  private final Random random = new Random(seed);
  private final List<Long> synced = new ArrayList<>();

  @Test
  void everySyncedChunkSurvives() throws Exception {
    Path point = Files.createDirectory(temp.resolve("disk"));
    Path store = point.resolve("store");
    Naming naming = random.nextBoolean() ? Naming.STRICT : Naming.JOURNALED;
    try (PowerLossDisk disk = PowerLossDisk.mount(point, naming)) {
      DurableFiles.createDirectories(store); // as daemons do
      for (int run = 0; run < KILLS; run++) {
        synced.add(writeUntilKilled(store, run * CHUNKS_PER_RUN));
        for (int cut = random.nextInt(3); cut < 3; cut++) {
          if (random.nextBoolean()) {
            disk.cutPower(random);
          }
          requireSynced(store, "after kill " + run + ", cut " + cut);
        }
      }
    }
  }

  /**
   * Runs a writer and kills it; returns the number of the last chunk that it has reported as
   * synced.
   */
  private long writeUntilKilled(Path store, long first) throws IOException {
    long enough = first + 20 + random.nextInt(200);
    Process writer =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Writer.class.getName(),
                store.toString(),
                Long.toString(first))
            .redirectError(Redirect.INHERIT)
            .start();
    long last = first;
    try (BufferedReader said =
        new BufferedReader(
            new InputStreamReader(writer.getInputStream(), StandardCharsets.UTF_8))) {
      while (last < enough) {
        String line = said.readLine();
        assertNotNull(line, "the writer has ended on its own; seed " + seed);
        last = Long.parseLong(line);
      }
    } finally {
      writer.destroyForcibly();
      writer.onExit().join();
    }
    return last;
  }

  private void requireSynced(Path directory, String when) {
    try (ChunkStore store = DiskChunkStore.open(directory, SMALL)) {
      for (int run = 0; run < synced.size(); run++) {
        for (long i = run * CHUNKS_PER_RUN; i <= synced.get(run); i++) {
          Chunk chunk = chunk(i);
          assertEquals(
              chunk.bytes().length,
              store.length(chunk.hash()),
              "seed %d, %s: chunk %d of run %d, synced up to %d"
                  .formatted(seed, when, i, run, synced.get(run)));
          assertNotNull(store.getVerified(chunk.hash()));
        }
      }
    }
  }

  private static Chunk chunk(long number) {
    Random bytes = new Random(number);
    if (number % BURST_EVERY < BURST) {
      byte[] content = new byte[65_536];
      bytes.nextBytes(content);
      return Chunk.of(content);
    }
    byte[] content = new byte[1 + bytes.nextInt(bytes.nextInt(4) == 0 ? 65_536 : 5_000)];
    bytes.nextBytes(content);
    return Chunk.of(content);
  }

  /**
   * Stores chunks in the directory args[0], beginning with number args[1], and prints the number of
   * the last chunk after each sync.
   */
  static final class Writer {
    private Writer() {}

    public static void main(String[] args) {
      try (ChunkStore store = DiskChunkStore.open(Path.of(args[0]), SMALL)) {
        for (long i = Long.parseLong(args[1]); ; i++) {
          List<Chunk> together = new ArrayList<>(List.of(chunk(i)));
          while (i % BURST_EVERY < BURST - 1) {
            i++;
            together.add(chunk(i));
          }
          store.putAll(together);
          if (i % 3 == 0) {
            store.sync();
            System.out.println(i);
          }
        }
      }
    }
  }
}
