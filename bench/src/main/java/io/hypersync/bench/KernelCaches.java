package io.hypersync.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What the kernel keeps of files that nobody has mapped: pages, names, attributes. */
final class KernelCaches {
  private static final Path DROP = Path.of("/proc/sys/vm/drop_caches");
  private static final String ALL = "3";

  private KernelCaches() {}

  /** Whether this machine lets us empty them. */
  static boolean canBeDropped() {
    return Files.isWritable(DROP);
  }

  /**
   * Empties them, but for what is not on the disk yet: a {@code sync} comes first.
   *
   * @throws IOException if they {@linkplain #canBeDropped cannot be}
   */
  static void drop() throws IOException {
    Files.writeString(DROP, ALL);
  }
}
