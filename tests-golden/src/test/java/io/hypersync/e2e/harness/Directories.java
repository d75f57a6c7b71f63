package io.hypersync.e2e.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;
import java.util.stream.Stream;

/** Helpers for directories. */
public final class Directories {
  private static final int WRITERS = 4;

  private Directories() {}

  /** The names in a directory, in the order of readdir. */
  public static List<String> names(Path folder) throws IOException {
    try (Stream<Path> listing = Files.list(folder)) {
      return listing.map(path -> path.getFileName().toString()).toList();
    }
  }

  /**
   * Makes files in a directory, named {@code name} and a number from 0 on. Several at a time: their
   * entries share the syncs of the log.
   */
  public static void fill(Path directory, String name, int count, IntFunction<String> text)
      throws IOException, InterruptedException {
    List<Future<Path>> made = new ArrayList<>(count);
    try (ExecutorService writers = Executors.newFixedThreadPool(WRITERS)) {
      for (int i = 0; i < count; i++) {
        Path file = directory.resolve(name + i);
        String content = text.apply(i);
        made.add(writers.submit(() -> Files.writeString(file, content)));
      }
      for (Future<Path> file : made) {
        var _ = file.get();
      }
    } catch (ExecutionException failure) {
      throw new IOException("a file cannot be made in " + directory, failure.getCause());
    }
  }

  /** rename(2). */
  public static void replace(Path from, Path to) throws IOException {
    Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
  }
}
