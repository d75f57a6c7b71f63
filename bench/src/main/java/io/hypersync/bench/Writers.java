package io.hypersync.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Threads that write and remove files of 4 KiB as fast as they can until stopped, as load on
 * mounts.
 */
final class Writers {
  /** Number of threads for each directory. */
  static final int EACH = 2;

  private static final int FILES = 50;
  private static final int REMOVED = 3;
  private static final int FILE_BYTES = 4096;
  private static final long JOIN_LIMIT_MS = 2_000;

  private final List<Thread> threads = new ArrayList<>();
  private final AtomicReference<@Nullable IOException> failure = new AtomicReference<>();
  private volatile boolean stopped;

  /**
   * Starts the threads, each in a subdirectory of its own.
   *
   * @param folders the directories to write in
   */
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
   * Checks that no thread has failed.
   *
   * @throws IOException the first failure
   */
  void requireAll() throws IOException {
    IOException failed = failure.get();
    if (failed != null) {
      throw failed;
    }
  }

  /** Stops the threads; waits {@link #JOIN_LIMIT_MS} for each. */
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
