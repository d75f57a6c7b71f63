package io.hypersync.bench;

import io.hypersync.runtime.admin.UserError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Resident memory of the daemons with a number of files in the workspace, and how long the leader
 * takes to restart with them.
 *
 * @param files number of files that were created
 * @param fileBytes size of each of them
 * @param elapsedNs how long creating them took
 * @param daemons memory of each daemon
 * @param restartNs from the start of a killed leader until it answered
 * @param cold whether the kernel's caches of the leader's files were dropped before the restart
 */
record MemoryUse(
    long files, int fileBytes, long elapsedNs, List<Daemon> daemons, long restartNs, boolean cold) {
  /** The largest size that can be asked for: one small chunk per file. */
  static final int MAX_FILE_BYTES = 4096;

  /** The smallest size other than 0: with fewer bytes, not all files could differ. */
  static final int MIN_FILE_BYTES = Long.BYTES;

  private static final String RESIDENT = "VmRSS:";
  private static final String OWN = "RssAnon:";
  private static final int BYTES_PER_KIB = 1024;

  /**
   * Resident memory of one daemon.
   *
   * @param name its name
   * @param emptyBytes before the first file was created
   * @param residentBytes after the last one
   * @param restingBytes after the daemon was idle for a while
   */
  record Daemon(String name, long emptyBytes, long residentBytes, long restingBytes) {}

  /**
   * Returns by how many bytes the daemon grew per file, right after the last one; free heap is
   * included.
   */
  long bytesPerFile(Daemon daemon) {
    return perFile(daemon.residentBytes() - daemon.emptyBytes());
  }

  /**
   * Returns the same after the daemon was idle for a while; heap that is still free is included.
   */
  long restingBytesPerFile(Daemon daemon) {
    return perFile(daemon.restingBytes() - daemon.emptyBytes());
  }

  private long perFile(long bytes) {
    return bytes / Math.max(1, files);
  }

  /**
   * Returns the resident bytes of a process: heap, direct buffers, code and libraries.
   *
   * @throws UserError if there is no such process
   */
  static long residentBytes(long pid) {
    return read(pid, RESIDENT);
  }

  /**
   * Returns those of them that are no pages of mapped files.
   *
   * @throws UserError if there is no such process
   */
  static long ownBytes(long pid) {
    return read(pid, OWN);
  }

  private static long read(long pid, String field) {
    Path file = Path.of("/proc", Long.toString(pid), "status");
    try {
      return parse(Files.readAllLines(file), field);
    } catch (IOException gone) {
      throw new UserError("process " + pid + " has ended", "Its log says why.");
    }
  }

  /** Returns the value of the line {@code VmRSS: 123456 kB} in bytes. */
  static long parse(List<String> lines) throws IOException {
    return parse(lines, RESIDENT);
  }

  private static long parse(List<String> lines, String field) throws IOException {
    for (String line : lines) {
      if (line.startsWith(field)) {
        String kib = line.substring(field.length()).replace("kB", "").strip();
        return Long.parseLong(kib) * BYTES_PER_KIB;
      }
    }
    throw new IOException("no line " + field);
  }
}
