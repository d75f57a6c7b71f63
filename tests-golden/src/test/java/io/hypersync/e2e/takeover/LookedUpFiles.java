package io.hypersync.e2e.takeover;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Files that the kernel has looked up often. A process that takes their mount over makes it look
 * them up again: it forgets each with all its lookups, and looks it up, and hands out FORGETs and
 * other requests in batches, so in either order (decision 066).
 */
final class LookedUpFiles {
  private static final int FILES = 300;
  private static final int ROUNDS = 4;
  private static final int READERS = 8;

  private final Path folder;

  private LookedUpFiles(Path folder) {
    this.folder = folder;
  }

  /** Makes them in a new folder. */
  static LookedUpFiles make(Path folder) throws Exception {
    LookedUpFiles files = new LookedUpFiles(Files.createDirectory(folder));
    for (int i = 0; i < FILES; i++) {
      Files.writeString(files.file(i), "content " + i);
    }
    return files;
  }

  /** The kernel keeps no name of a directory that was just changed, so it asks each time. */
  void lookUp() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      Files.delete(Files.createFile(folder.resolve("changes")));
      for (int i = 0; i < FILES; i++) {
        var _ = Files.size(file(i));
      }
    }
  }

  /** Reads all of them, from several threads. */
  void read() throws Exception {
    try (ExecutorService readers = Executors.newFixedThreadPool(READERS)) {
      List<Future<?>> reading = new ArrayList<>();
      for (int reader = 0; reader < READERS; reader++) {
        int first = reader * FILES / READERS;
        reading.add(
            readers.submit(
                () -> {
                  for (int n = 0; n < FILES; n++) {
                    int i = (first + n) % FILES;
                    assertEquals("content " + i, Files.readString(file(i)));
                  }
                  return null;
                }));
      }
      for (Future<?> reader : reading) {
        reader.get();
      }
    }
  }

  private Path file(int number) {
    return folder.resolve("f" + number);
  }
}
