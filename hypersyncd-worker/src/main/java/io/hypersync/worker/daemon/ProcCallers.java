package io.hypersync.worker.daemon;

import io.hypersync.worker.vfs.Callers;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** Supplementary groups of a caller, from {@code /proc/PID/status}. */
final class ProcCallers implements Callers {
  private static final String GROUPS = "Groups:";

  @Override
  public int[] groups(int pid) {
    return groups(Path.of("/proc/" + pid + "/status"));
  }

  static int[] groups(Path status) {
    try {
      // Any bytes: the thread's name in it may be cut in the middle of a character.
      for (String line : Files.readAllLines(status, StandardCharsets.ISO_8859_1)) {
        if (line.startsWith(GROUPS)) {
          return Arrays.stream(line.substring(GROUPS.length()).strip().split("\\s+"))
              .filter(text -> !text.isEmpty())
              .mapToInt(Integer::parseUnsignedInt)
              .toArray();
        }
      }
    } catch (IOException | NumberFormatException e) {
      return new int[0]; // the caller has ended: without groups it gets no access through them
    }
    return new int[0];
  }
}
