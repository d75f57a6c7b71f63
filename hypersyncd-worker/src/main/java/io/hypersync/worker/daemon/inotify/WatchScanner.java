package io.hypersync.worker.daemon.inotify;

import io.hypersync.model.id.InodeNo;
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
 * Finds the inotify watches that processes of this host have on one filesystem, from {@code /proc}.
 * To save time, the links of a process's descriptors are read on every scan only while the process
 * is young: then it opens and closes most, often ending with as many as before. Later they are read
 * only when their number has changed, which stat tells since Linux 6.2, and every {@link
 * #FULL_EVERY} scans; in between, only the known inotify descriptors are read. Single-threaded.
 */
final class WatchScanner {
  private static final String INOTIFY = "anon_inode:inotify";
  private static final Path PROC = Path.of("/proc");

  /** Number of scans between two full looks at a process. */
  private static final int FULL_EVERY = 20;

  private final long device;
  private final Path ownFds;
  private final String ownPid;
  private Map<String, Known> processes = new HashMap<>();
  private int scans;

  /** Number of scans after its first one during which a process counts as young. */
  private static final int YOUNG = 40;

  /** Matches no count of descriptors, so that the process is looked at in full next time. */
  private static final long UNSETTLED = -1;

  /**
   * What the last full look at a process has found.
   *
   * @param firstScan the number of the scan that first saw it
   * @param fds its count of descriptors, unchanged during the look; or {@link #UNSETTLED}
   * @param infos the fdinfo files of its inotify descriptors
   */
  private record Known(int firstScan, long fds, List<Path> infos) {}

  /**
   * Scans for watches on one filesystem.
   *
   * @param device its device number, as fdinfo shows it
   */
  WatchScanner(long device) {
    this.device = device;
    this.ownPid = Long.toString(ProcessHandle.current().pid());
    this.ownFds = PROC.resolve(ownPid).resolve("fd");
  }

  /**
   * The union of watch masks by inode number. Leaves out this process.
   *
   * @param skip the id of another process to leave out
   */
  Map<InodeNo, Integer> scan(long skip) {
    Map<InodeNo, Integer> masks = new HashMap<>();
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
    // Spreads the full looks over different scans.
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
    // The count changed while the links were read: it may soon be the same again with other
    // descriptors.
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

  /** Whether the descriptor still exists. */
  private boolean collect(Path info, Map<InodeNo, Integer> masks) {
    try {
      FdInfo.collect(Files.readAllLines(info), device, masks);
      return true;
    } catch (IOException closed) {
      return false;
    }
  }
}
