package io.hypersync.worker.daemon;

import io.hypersync.worker.vfs.Callers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** Supplementary groups of a caller, from {@code /proc/PID/status}. */
final class ProcCallers implements Callers {
  private static final String GROUPS = "Groups:";

  @Override
  public int[] groups(int pid) {
    try {
      for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/status"))) {
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
