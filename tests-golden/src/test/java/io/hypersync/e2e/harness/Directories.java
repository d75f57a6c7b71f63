package io.hypersync.e2e.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.Stream;

/** Helpers for directories. */
public final class Directories {
  private Directories() {}

  /** The names in a directory, in the order of readdir. */
  public static List<String> names(Path folder) throws IOException {
    try (Stream<Path> listing = Files.list(folder)) {
      return listing.map(path -> path.getFileName().toString()).toList();
    }
  }

  /** rename(2). */
  public static void replace(Path from, Path to) throws IOException {
    Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
  }
}
