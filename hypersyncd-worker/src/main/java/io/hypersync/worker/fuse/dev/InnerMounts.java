package io.hypersync.worker.fuse.dev;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What is mounted inside one filesystem, in the mount namespaces of all processes that this one
 * sees, from {@code /proc/PID/mountinfo}. A namespace without processes is not seen, and of a
 * namespace only what its oldest process can reach. Reading it makes no request to the filesystems
 * themselves. Thread-safe.
 *
 * <p>Any user can make namespaces, and mount much in each. So what is read is bounded, one
 * namespace at a time; beyond that everything counts as mounted on, for a while without a look. A
 * look that has found nothing is never used again: something may have been mounted since.
 */
public final class InnerMounts {
  /** The most that is read of one namespace, in bytes: some 10,000 mounts. */
  static final int MOST_OF_ONE = 2 << 20;

  /** The most that is read in one look, in bytes. */
  static final int MOST_OF_ALL = 8 << 20;

  /** A namespace counts as so many bytes at least, for the calls that it costs. */
  static final int LEAST_OF_ONE = 1_024;

  /** After a look at too much there is none for so long. */
  static final long PAUSE_NS = 100_000_000;

  private static final int ID_FIELD = 0;
  private static final int PARENT_FIELD = 1;
  private static final int DEVICE_FIELD = 2;
  private static final int ROOT_FIELD = 3;
  private static final int POINT_FIELD = 4;

  private final Path proc;
  private final String device;
  private final LongSupplier monotonicNs;
  private volatile long pausedUntilNs;

  /**
   * Looks into the filesystem with this device number.
   *
   * @param minor its major number is 0
   */
  public InnerMounts(long minor) {
    this(Path.of("/proc"), minor, System::nanoTime);
  }

  /** The same, of another {@code /proc}. */
  InnerMounts(Path proc, long minor, LongSupplier monotonicNs) {
    this.proc = proc;
    this.device = "0:" + minor;
    this.monotonicNs = monotonicNs;
    this.pausedUntilNs = monotonicNs.getAsLong();
  }

  /**
   * Whether one of the mount points is meant, or may be: there are more than can be looked at.
   *
   * @param isMeant takes the names on the way to it within the filesystem: at least one
   */
  public boolean any(Predicate<List<byte[]>> isMeant) {
    if (monotonicNs.getAsLong() - pausedUntilNs < 0) {
      return true;
    }
    Set<String> seen = new HashSet<>();
    int left = MOST_OF_ALL;
    try (DirectoryStream<Path> rows = Files.newDirectoryStream(proc)) {
      for (Path row : rows) {
        int most = Math.min(left, MOST_OF_ONE);
        byte[] table = table(row, seen, most);
        if (table == null) {
          continue;
        }
        left -= Math.max(table.length, LEAST_OF_ONE);
        if (table.length > most || left < 0) {
          pausedUntilNs = monotonicNs.getAsLong() + PAUSE_NS;
          return true;
        }
        if (any(device, table, isMeant)) {
          return true;
        }
      }
      return false;
    } catch (IOException | DirectoryIteratorException unreadable) {
      return true;
    }
  }

  /**
   * The mounts of a process's namespace, one byte more than the most if there are more; null if it
   * is none, or that namespace has been seen.
   */
  private static byte @Nullable [] table(Path process, Set<String> seen, int most) {
    if (!Character.isDigit(String.valueOf(process.getFileName()).charAt(0))) {
      return null;
    }
    try {
      String namespace = Files.readSymbolicLink(process.resolve("ns/mnt")).toString();
      if (seen.contains(namespace)) {
        return null;
      }
      try (InputStream in = Files.newInputStream(process.resolve("mountinfo"))) {
        byte[] table = in.readNBytes(most + 1);
        seen.add(namespace);
        return table;
      }
    } catch (IOException ended) {
      return null; // another one may be in the same namespace
    }
  }

  /**
   * Whether one of the mount points inside a filesystem is meant, by the table of one namespace;
   * lines of another form are skipped.
   *
   * @param device {@code major:minor} of the filesystem
   */
  static boolean any(String device, byte[] table, Predicate<List<byte[]>> isMeant) {
    Map<String, String[]> own = new HashMap<>();
    var _ =
        anyRow(
            table,
            fields -> {
              if (fields[DEVICE_FIELD].equals(device)) {
                own.put(fields[ID_FIELD], fields);
              }
              return false;
            });
    // A mount that was moved can stand before the one that it is on.
    return !own.isEmpty()
        && anyRow(
            table,
            fields -> {
              List<byte[]> names = inside(own.get(fields[PARENT_FIELD]), fields[POINT_FIELD]);
              return !names.isEmpty() && isMeant.test(names);
            });
  }

  /** Hands out the fields of each line until one is taken. */
  private static boolean anyRow(byte[] table, Predicate<String[]> isTaken) {
    int begin = 0;
    for (int i = 0; i <= table.length; i++) {
      // A line feed alone ends a line: names are shown with their carriage returns.
      if (i == table.length || table[i] == '\n') {
        // Paths are bytes: Latin-1 keeps each as one character.
        String line = new String(table, begin, i - begin, StandardCharsets.ISO_8859_1);
        begin = i + 1;
        // 36 35 98:0 /root /point rw,noatime shared:1 ... - type source options
        String[] fields = line.split(" ", POINT_FIELD + 2);
        if (fields.length > POINT_FIELD && isTaken.test(fields)) {
          return true;
        }
      }
    }
    return false;
  }

  /** The names that lead to a mount point, if it is on a mount of the filesystem. */
  private static List<byte[]> inside(String @Nullable [] below, String point) {
    if (below == null || !point.startsWith(below[POINT_FIELD])) {
      return List.of();
    }
    return names(below[ROOT_FIELD] + '/' + point.substring(below[POINT_FIELD].length()));
  }

  private static List<byte[]> names(String path) {
    List<byte[]> names = new ArrayList<>();
    for (String name : path.split("/", -1)) {
      if (!name.isEmpty()) {
        names.add(MountTable.unescaped(name));
      }
    }
    return names;
  }
}
