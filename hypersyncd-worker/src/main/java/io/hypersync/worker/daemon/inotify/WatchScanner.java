package io.hypersync.worker.daemon.inotify;

import io.hypersync.worker.inotify.FdInfo;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds what processes of this machine watch on one filesystem, in {@code /proc}. The links of a
 * process's descriptors are read while it is young, for then it opens and closes most, and often as
 * many as it had; later only when their number has changed, which stat tells (Linux 6.2), and now
 * and then; after that its inotify descriptors alone. Single-threaded.
 */
final class WatchScanner {
  private static final String INOTIFY = "anon_inode:inotify";
  private static final Path PROC = Path.of("/proc");

  /** Every so many scans a process is looked at in full. */
  private static final int FULL_EVERY = 20;

  private final long device;
  private final Path ownFds;
  private final String ownPid;
  private Map<String, Known> processes = new HashMap<>();
  private int scans;

  /** For so many scans after it was first seen a process is young. */
  private static final int YOUNG = 40;

  /** A number of descriptors that no process has: it is looked at in full the next time. */
  private static final long UNSETTLED = -1;

  /**
   * What was found of a process when it was last looked at in full.
   *
   * @param firstScan when it was first seen
   * @param fds how many descriptors it had all the while, or {@link #UNSETTLED}
   */
  private record Known(int firstScan, long fds, List<Path> infos) {}

  /**
   * For one filesystem.
   *
   * @param device as fdinfo shows it
   */
  WatchScanner(long device) {
    this.device = device;
    this.ownPid = Long.toString(ProcessHandle.current().pid());
    this.ownFds = PROC.resolve(ownPid).resolve("fd");
  }

  /**
   * What each inode is watched for.
   *
   * @param skip a process that does not count
   */
  Map<Long, Integer> scan(long skip) {
    Map<Long, Integer> masks = new HashMap<>();
    Map<String, Known> seen = new HashMap<>();
    String skipped = Long.toString(skip);
    boolean counts = countOf(ownFds) > 0;
    String[] rows = new File("/proc").list();
    for (String row : rows == null ? new String[0] : rows) {
      if (!Character.isDigit(row.charAt(0)) || row.equals(ownPid) || row.equals(skipped)) {
        continue;
      }
      Known process = look(row, counts);
      boolean settled = true;
      for (Path info : process.infos) {
        settled &= collect(info, masks);
      }
      seen.put(row, settled ? process : new Known(process.firstScan, UNSETTLED, process.infos));
    }
    processes = seen;
    scans++;
    return masks;
  }

  private Known look(String pid, boolean counts) {
    Path fds = PROC.resolve(pid).resolve("fd");
    long count = countOf(fds);
    Known known = processes.get(pid);
    // Not all in the same scan.
    boolean due = Math.floorMod(pid.hashCode() + scans, FULL_EVERY) == 0;
    boolean young = known != null && scans - known.firstScan < YOUNG;
    if (known != null && counts && known.fds == count && !due && !young) {
      return known;
    }
    List<Path> infos = new ArrayList<>(0);
    String[] rows = count == 0 && counts ? null : fds.toFile().list();
    for (String fd : rows == null ? new String[0] : rows) {
      if (isInotify(fds.resolve(fd))) {
        infos.add(PROC.resolve(pid).resolve("fdinfo").resolve(fd));
      }
    }
    // One that has closed a descriptor meanwhile may soon have as many again, and others.
    long settled = countOf(fds) == count ? count : UNSETTLED;
    return new Known(known == null ? scans : known.firstScan, settled, infos);
  }

  private static long countOf(Path fds) {
    try {
      return Files.size(fds);
    } catch (IOException ended) {
      return 0;
    }
  }

  private static boolean isInotify(Path fd) {
    try {
      return Files.readSymbolicLink(fd).toString().equals(INOTIFY);
    } catch (IOException closed) {
      return false;
    }
  }

  /** Whether the descriptor is still there. */
  private boolean collect(Path info, Map<Long, Integer> masks) {
    try {
      FdInfo.collect(Files.readAllLines(info), device, masks);
      return true;
    } catch (IOException closed) {
      return false;
    }
  }
}
