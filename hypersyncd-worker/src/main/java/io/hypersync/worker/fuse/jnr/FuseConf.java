package io.hypersync.worker.fuse.jnr;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What {@code /etc/fuse.conf} lets users without root do, as {@code fusermount} reads it. */
final class FuseConf {
  private static final Path FILE = Path.of("/etc/fuse.conf");
  private static final String ALLOW_OTHER = "user_allow_other";

  private FuseConf() {}

  /** Whether such a user may let others see the mount; false if the file cannot be read. */
  static boolean letsOthersIn() {
    try {
      return letsOthersIn(Files.readAllLines(FILE));
    } catch (IOException unreadable) {
      return false;
    }
  }

  static boolean letsOthersIn(List<String> lines) {
    return lines.stream()
        .anyMatch(line -> line.replaceFirst("#.*", "").strip().equals(ALLOW_OTHER));
  }
}
