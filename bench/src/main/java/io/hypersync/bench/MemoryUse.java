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
 * @param fileBytes how many bytes each of them has
 * @param elapsedNs how long that took
 * @param daemons each of them
 * @param restartNs from the start of a leader that was killed until it answered
 * @param cold whether the kernel had been made to forget the leader's files before that
 */
record MemoryUse(
    long files, int fileBytes, long elapsedNs, List<Daemon> daemons, long restartNs, boolean cold) {
  /** The largest files that can be asked for: of one small chunk each. */
  static final int MAX_FILE_BYTES = 4096;

  /** The smallest that are not empty: with fewer bytes they could not all be different. */
  static final int MIN_FILE_BYTES = Long.BYTES;

  private static final String RESIDENT = "VmRSS:";
  private static final int BYTES_PER_KIB = 1024;

  /**
   * One of them.
   *
   * @param name who it is
   * @param emptyBytes resident before the first file was made
   * @param residentBytes resident after the last one
   * @param restingBytes resident when it had been idle for a while
   */
  record Daemon(String name, long emptyBytes, long residentBytes, long restingBytes) {}

  /**
   * How much the daemon has grown by each file, in bytes, right after the last one; what is empty
   * in its heap counts.
   */
  long bytesPerFile(Daemon daemon) {
    return perFile(daemon.residentBytes() - daemon.emptyBytes());
  }

  /** The same when it has been idle for a while; what is still empty in its heap counts. */
  long restingBytesPerFile(Daemon daemon) {
    return perFile(daemon.restingBytes() - daemon.emptyBytes());
  }

  private long perFile(long bytes) {
    return bytes / Math.max(1, files);
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
