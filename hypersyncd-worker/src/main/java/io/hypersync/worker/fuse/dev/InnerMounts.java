package io.hypersync.worker.fuse.dev;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What is mounted inside one filesystem, in the mount namespaces of all processes that this one
 * sees, from {@code /proc/PID/mountinfo}. A namespace without processes is not seen, and of a
 * namespace only what its oldest process can reach. Reading it makes no request to the filesystems
 * themselves. Thread-safe.
 */
public final class InnerMounts {
  private static final Path PROC = Path.of("/proc");
  private static final int ID_FIELD = 0;
  private static final int PARENT_FIELD = 1;
  private static final int DEVICE_FIELD = 2;
  private static final int ROOT_FIELD = 3;
  private static final int POINT_FIELD = 4;

  private final String device;

  /**
   * Looks into the filesystem with this device number.
   *
   * @param minor its major number is 0
   */
  public InnerMounts(long minor) {
    this.device = "0:" + minor;
  }

  /** The mount points as paths within the filesystem, with duplicates; none for its root. */
  public List<List<byte[]>> now() {
    List<List<byte[]>> found = new ArrayList<>();
    for (List<String> processes : namespaces().values()) {
      for (String process : processes) {
        try {
          found.addAll(
              parse(
                  device,
                  // Paths are bytes: Latin-1 keeps each as one character.
                  Files.readAllLines(
                      PROC.resolve(process).resolve("mountinfo"), StandardCharsets.ISO_8859_1)));
          break;
        } catch (IOException ended) {
          // another one may be in the same namespace
        }
      }
    }
    return found;
  }

  /** The mount namespaces, and the processes in each. */
  private static Map<String, List<String>> namespaces() {
    Map<String, List<String>> namespaces = new LinkedHashMap<>();
    String[] rows = new File("/proc").list();
    for (String row : rows == null ? new String[0] : rows) {
      if (Character.isDigit(row.charAt(0))) {
        try {
          String namespace = Files.readSymbolicLink(PROC.resolve(row).resolve("ns/mnt")).toString();
          namespaces.computeIfAbsent(namespace, _ -> new ArrayList<>()).add(row);
        } catch (IOException ended) {
          // its namespace is that of others, or gone with it
        }
      }
    }
    return namespaces;
  }

  /**
   * The mount points inside a filesystem, by the lines of one namespace; lines of another form are
   * skipped.
   *
   * @param device {@code major:minor} of the filesystem
   */
  static List<List<byte[]>> parse(String device, List<String> lines) {
    // 36 35 98:0 /root /point rw,noatime shared:1 ... - type source options
    List<String[]> rows =
        lines.stream()
            .map(line -> line.split(" ", -1))
            .filter(fields -> fields.length > POINT_FIELD)
            .toList();
    Map<String, String[]> own = new HashMap<>();
    rows.stream()
        .filter(fields -> fields[DEVICE_FIELD].equals(device))
        .forEach(fields -> own.put(fields[ID_FIELD], fields));
    List<List<byte[]>> points = new ArrayList<>();
    for (String[] fields : rows) {
      String[] below = own.get(fields[PARENT_FIELD]);
      if (below != null && fields[POINT_FIELD].startsWith(below[POINT_FIELD])) {
        String inside = fields[POINT_FIELD].substring(below[POINT_FIELD].length());
        List<byte[]> names = names(below[ROOT_FIELD] + '/' + inside);
        if (!names.isEmpty()) {
          points.add(names);
        }
      }
    }
    return points;
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
