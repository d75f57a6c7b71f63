package io.hypersync.worker.fuse.dev;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The umask of this process: of all its threads, and of native libraries. It does not affect files
 * that callers create through a mount: the kernel applies the caller's own umask before it sends
 * the request.
 */
public final class ProcessUmask {
  private static final int OWNER_ONLY = 077;
  private static final Path STATUS = Path.of("/proc/self/status");
  private static final String FIELD = "Umask:";

  private ProcessUmask() {}

  /** Makes files that this process creates from now on accessible to its user only. */
  public static void ownerOnly() {
    if (current() != OWNER_ONLY) { // the launcher has set it already, which saves a native call
      var _ = Syscalls.umask(OWNER_ONLY);
    }
  }

  /** The umask, or a negative number if /proc does not show it. */
  static int current() {
    try {
      return Files.readAllLines(STATUS, StandardCharsets.ISO_8859_1).stream()
          .filter(line -> line.startsWith(FIELD))
          .map(line -> Integer.parseInt(line.substring(FIELD.length()).strip(), 8))
          .findFirst()
          .orElse(-1);
    } catch (IOException | NumberFormatException unknown) {
      return -1;
    }
  }
}
