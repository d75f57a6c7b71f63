package io.hypersync.worker.fuse.dev;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Which permissions files do not get that this process makes: all of its threads, and libraries
 * that are not Java's. Files that callers make through a mount have the callers' own masks, which
 * the kernel applies before the daemon hears of them.
 */
public final class ProcessUmask {
  private static final int OWNER_ONLY = 077;
  private static final Path STATUS = Path.of("/proc/self/status");
  private static final String FIELD = "Umask:";

  private ProcessUmask() {}

  /** From now on, what this process makes is for its user alone. */
  public static void ownerOnly() {
    if (current() != OWNER_ONLY) { // as the launcher has set it, and no native call is needed
      var _ = Syscalls.umask(OWNER_ONLY);
    }
  }

  /** The mask, or a negative number if /proc does not tell. */
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
