package io.hypersync.disk;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.CollectionOptions;
import io.hypersync.chunkstore.CollectionRun;
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
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A process that stores chunks and collects the dead ones all the time is killed, and the power is
 * cut: synced chunks that are alive survive. Needs root and /dev/fuse, and fails without them.
 */
@Timeout(180)
@Tag("mount")
class ChunkCollectionPowerCutTest {
  private static final int KILLS = 6;
  private static final long CHUNKS_PER_RUN = 1_000_000;
  private static final int LIVE_EVERY = 8;

  /** More than a writer stores after its last report. */
  private static final int UNREPORTED = 200;

  private static final DiskChunkStoreOptions SMALL =
      new DiskChunkStoreOptions(1 << 20, 128 << 10, 64 << 10, 0);

  @TempDir Path temp;

  private final long seed = System.nanoTime();
  private final Random random = new Random(seed);
  private final List<Long> synced = new ArrayList<>();
  private long deleted;

  @Test
  void everyLivingChunkSurvives() throws Exception {
    Path point = Files.createDirectory(temp.resolve("disk"));
    Path store = point.resolve("store");
    Naming naming = random.nextBoolean() ? Naming.STRICT : Naming.JOURNALED;
    try (PowerLossDisk disk = PowerLossDisk.mount(point, naming)) {
      DurableFiles.createDirectories(store); // as daemons do
      for (int run = 0; run < KILLS; run++) {
        writeUntilKilled(store, run);
        for (int cut = random.nextInt(3); cut < 3; cut++) {
          if (random.nextBoolean()) {
            disk.cutPower(random);
          }
          requireLiving(store, "seed %d, after kill %d, cut %d".formatted(seed, run, cut));
        }
      }
      assertTrue(deleted > KILLS, "only " + deleted + " segments were deleted; seed " + seed);
      try (Stream<Path> files = Files.list(store.resolve("segments"))) {
        long last =
            files
                .map(file -> file.getFileName().toString())
                .mapToLong(name -> Long.parseLong(name.substring(0, name.indexOf('.'))))
                .max()
                .orElseThrow();
        assertTrue(last > 2 * KILLS, "only " + last + " segments; seed " + seed);
      }
    }
  }

  private void writeUntilKilled(Path store, int run) throws IOException {
    long first = run * CHUNKS_PER_RUN;
    long enough = first + 150 + random.nextInt(400);
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Writer.class.getName(),
                store.toString()));
    synced.forEach(last -> command.add(Long.toString(last)));
    Process writer = new ProcessBuilder(command).redirectError(Redirect.INHERIT).start();
    long last = first;
    try (BufferedReader said =
        new BufferedReader(
            new InputStreamReader(writer.getInputStream(), StandardCharsets.UTF_8))) {
      while (last < enough) {
        String line = said.readLine();
        assertNotNull(line, "the writer has ended on its own; seed " + seed);
        if (line.startsWith("deleted ")) {
          deleted += Long.parseLong(line.substring("deleted ".length()));
        } else {
          last = Long.parseLong(line);
        }
      }
    } finally {
      writer.destroyForcibly();
      writer.onExit().join();
    }
    synced.add(last);
  }

  private void requireLiving(Path directory, String when) {
    try (ChunkStore store = DiskChunkStore.open(directory, SMALL)) {
      for (int run = 0; run < synced.size(); run++) {
        for (long i = run * CHUNKS_PER_RUN; i <= synced.get(run) + UNREPORTED; i++) {
          Chunk chunk = chunk(i);
          boolean mustBeHere = i % LIVE_EVERY == 0 && i <= synced.get(run);
          String which = "%s: chunk %d of run %d".formatted(when, i, run);
          if (mustBeHere) {
            assertEquals(chunk.bytes().length, store.length(chunk.hash()), which);
          }
          if (mustBeHere || store.contains(chunk.hash())) {
            assertArrayEquals(chunk.bytes(), store.getVerified(chunk.hash()), which);
          }
        }
      }
    }
  }

  private static Chunk chunk(long number) {
    Random bytes = new Random(number);
    byte[] content = new byte[1 + bytes.nextInt(bytes.nextInt(4) == 0 ? 30_000 : 3_000)];
    bytes.nextBytes(content);
    return Chunk.of(content);
  }

  /**
   * Stores chunks in the directory args[0] and collects meanwhile. The other arguments are the last
   * chunks that its predecessors have reported. Prints the number of the last chunk after each
   * sync, and how many segments each collection has deleted.
   */
  static final class Writer {
    private Writer() {}

    public static void main(String[] args) {
      int run = args.length - 1;
      try (ChunkStore store = DiskChunkStore.open(Path.of(args[0]), SMALL)) {
        CollectionRun collection = null;
        for (long i = run * CHUNKS_PER_RUN; ; i++) {
          Chunk chunk = chunk(i);
          store.put(chunk.hash(), chunk.bytes());
          if (i % 3 == 0) {
            store.sync();
            System.out.println(i);
          }
          if (collection == null) {
            collection = store.beginCollection(new CollectionOptions(30, true));
            for (int before = 0; before < run; before++) {
              mark(collection, before, Long.parseLong(args[before + 1]) + UNREPORTED);
            }
            mark(collection, run, i);
          } else if (collection.sweep(1).isDone()) {
            System.out.println("deleted " + collection.finish().segmentsDeleted());
            collection = null;
          }
        }
      }
    }

    private static void mark(CollectionRun collection, int run, long last) {
      for (long i = run * CHUNKS_PER_RUN; i <= last; i++) {
        if (i % LIVE_EVERY == 0) {
          collection.mark(chunk(i).hash());
        }
      }
    }
  }
}
