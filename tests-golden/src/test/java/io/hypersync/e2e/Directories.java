package io.hypersync.e2e;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.Stream;

/** Helpers for directories. */
final class Directories {
  private Directories() {}

  /** The names in a directory, in the order of readdir. */
  static List<String> names(Path folder) throws IOException {
    try (Stream<Path> listing = Files.list(folder)) {
      return listing.map(path -> path.getFileName().toString()).toList();
    }
  }

  /** rename(2). */
  static void replace(Path from, Path to) throws IOException {
    Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
  }
}
