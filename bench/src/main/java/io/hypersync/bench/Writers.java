package io.hypersync.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Threads that write and remove files of 4 KiB in folders, as fast as they can, until stopped. */
final class Writers {
  /** How many there are for each folder. */
  static final int EACH = 2;

  private static final int FILES = 50;
  private static final int REMOVED = 3;
  private static final int FILE_BYTES = 4096;
  private static final long JOIN_LIMIT_MS = 2_000;

  private final List<Thread> threads = new ArrayList<>();
  private final AtomicReference<@Nullable IOException> failure = new AtomicReference<>();
  private volatile boolean stopped;

  /** Starts them, each in a folder of its own in one of these. */
  Writers(List<Path> folders) throws IOException {
    for (int i = 0; i < folders.size(); i++) {
      for (int k = 0; k < EACH; k++) {
        Path own = Files.createDirectories(folders.get(i).resolve("writer-" + i + "-" + k));
        threads.add(
            Thread.ofPlatform()
                .name(own.getFileName().toString())
                .daemon()
                .start(() -> write(own)));
      }
    }
  }

  /**
   * That none has failed.
   *
   * @throws IOException the first failure
   */
  void requireAll() throws IOException {
    IOException failed = failure.get();
    if (failed != null) {
      throw failed;
    }
  }

  /** Ends them. */
  void stop() throws InterruptedException {
    stopped = true;
    for (Thread thread : threads) {
      thread.join(JOIN_LIMIT_MS);
    }
  }

  private void write(Path folder) {
    byte[] bytes = new byte[FILE_BYTES];
    try {
      for (int i = 0; !stopped; i++) {
        Path file = folder.resolve("f" + i % FILES);
        bytes[i % FILE_BYTES]++;
        Files.write(file, bytes);
        if (i % REMOVED == 0) {
          Files.delete(file);
        }
      }
    } catch (IOException e) {
      failure.compareAndSet(null, e);
    }
  }
}
