package io.hypersync.e2e;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/**
 * A worker with an empty store catches up with a workspace whose chunks are more than it and the
 * leader have of direct memory: nothing needs a buffer that grows with what is sent.
 */
@RealMounts
class CatchUpTest {
  /** Of leader and worker; the launcher gives them 64 MiB. */
  private static final String DIRECT_MEMORY = "-XX:MaxDirectMemorySize=32m";

  /** Chunks of the full size, which are not in their entries. */
  private static final int CHUNK_BYTES = 64 * 1024;

  private static final int FILES = Integer.getInteger("hypersync.catchup.files", 1_408);
  private static final int FILES_PER_DIRECTORY = 100;
  private static final int WRITERS = 8;
  private static final long SEED = 24;

  @Test
  void chunksOfThreeTimesTheDirectMemoryComeInOneConnection() throws Exception {
    try (Fabric fabric = Fabric.create()) {
      fabric.putJavaOptions("leader", DIRECT_MEMORY);
      fabric.putJavaOptions("late", DIRECT_MEMORY);
      fabric.startLeader();
      fabric.startWorker("a");
      write(fabric.mount("a"));
      fabric.worker("a").end(Await.LIMIT);
      long greeted = fabric.leader().status().path("workers_greeted").asLong();

      fabric.startWorker("late");
      fabric.settle("late");

      JsonNode status = fabric.leader().status();
      assertTrue(status.path("commit_index").asLong() > 2L * FILES, status::toPrettyString);
      assertEquals(1, status.path("workers_greeted").asLong() - greeted, fabric::logs);
      for (String daemon : List.of("leader", "late")) {
        assertFalse(fabric.daemon(daemon).log().contains("stream failed"), fabric::logs);
      }
      fabric.assertSameRoots("late");
      for (int i = 0; i < FILES; i += 97) {
        Path file = fabric.mount("late").resolve(name(i));
        assertArrayEquals(content(i), Files.readAllBytes(file), file::toString);
      }
    }
  }

  /** Each file is an entry that makes it and one that refers to a chunk, as no other file does. */
  private static void write(Path mount) throws Exception {
    try (ExecutorService writers = Executors.newFixedThreadPool(WRITERS)) {
      List<Future<?>> all = new ArrayList<>();
      for (int from = 0; from < FILES; from += FILES_PER_DIRECTORY) {
        int first = from;
        all.add(
            writers.submit(
                () -> {
                  writeDirectory(mount, first);
                  return null;
                }));
      }
      for (Future<?> each : all) {
        var _ = each.get();
      }
    }
  }

  private static void writeDirectory(Path mount, int first) throws IOException {
    Files.createDirectory(mount.resolve(name(first)).getParent());
    for (int i = first; i < Math.min(first + FILES_PER_DIRECTORY, FILES); i++) {
      Files.write(mount.resolve(name(i)), content(i));
    }
  }

  private static String name(int file) {
    return "d" + file / FILES_PER_DIRECTORY + "/f" + file;
  }

  private static byte[] content(int file) {
    byte[] bytes = new byte[CHUNK_BYTES];
    new Random(SEED + file).nextBytes(bytes);
    return bytes;
  }
}
