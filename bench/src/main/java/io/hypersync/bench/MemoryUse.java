package io.hypersync.bench;

import io.hypersync.wire.admin.UserError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * What the daemons hold in memory when the workspace has so many files, and how long the leader
 * then takes to start.
 *
 * @param files that were created
 * @param elapsedNs how long that took
 * @param daemons each of them
 * @param restartNs from the start of a leader that was killed until it answered
 */
record MemoryUse(long files, long elapsedNs, List<Daemon> daemons, long restartNs) {
  private static final String RESIDENT = "VmRSS:";
  private static final int BYTES_PER_KIB = 1024;

  /**
   * One of them.
   *
   * @param name who it is
   * @param emptyBytes resident before the first file was made
   * @param residentBytes resident after the last one
   */
  record Daemon(String name, long emptyBytes, long residentBytes) {}

  /** How much the daemon has grown by each file, in bytes; what is empty in its heap counts. */
  long bytesPerFile(Daemon daemon) {
    return (daemon.residentBytes() - daemon.emptyBytes()) / Math.max(1, files);
  }

  /**
   * What a process has resident: heap, direct buffers, code and libraries.
   *
   * @throws UserError if there is no such process
   */
  static long residentBytes(long pid) {
    Path file = Path.of("/proc", Long.toString(pid), "status");
    try {
      return parse(Files.readAllLines(file));
    } catch (IOException gone) {
      throw new UserError("process " + pid + " has ended", "Its log says why.");
    }
  }

  /** The value of the line {@code VmRSS: 123456 kB}. */
  static long parse(List<String> lines) throws IOException {
    for (String line : lines) {
      if (line.startsWith(RESIDENT)) {
        String kib = line.substring(RESIDENT.length()).replace("kB", "").strip();
        return Long.parseLong(kib) * BYTES_PER_KIB;
      }
    }
    throw new IOException("no line " + RESIDENT);
  }
}
