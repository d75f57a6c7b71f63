package io.hypersync.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The kernel's caches of files that no process has mapped: pages, dentries, inodes. */
final class KernelCacheDropper {
  private static final Path DROP = Path.of("/proc/sys/vm/drop_caches");
  private static final String ALL = "3";

  private KernelCacheDropper() {}

  /** Whether this process may drop them. */
  static boolean canBeDropped() {
    return Files.isWritable(DROP);
  }

  /**
   * Drops clean pages, dentries and inodes. Call {@code sync} first, because dirty pages stay.
   *
   * @throws IOException if they {@linkplain #canBeDropped cannot be}
   */
  static void drop() throws IOException {
    Files.writeString(DROP, ALL);
  }
}
