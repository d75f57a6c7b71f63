package io.hypersync.cli.simulate;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Finds out whether output goes to a terminal. */
final class Terminal {
  private Terminal() {}

  /** Whether standard error is a terminal, on which a line can be rewritten. */
  static boolean isStandardError() {
    try {
      String file = Files.readSymbolicLink(Path.of("/proc/self/fd/2")).toString();
      return file.startsWith("/dev/pts/") || file.startsWith("/dev/tty");
    } catch (IOException e) {
      return false;
    }
  }
}
