package io.hypersync.worker.fuse.dev;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The mounts of this process's mount namespace, from {@code /proc/self/mountinfo}. Reading it makes
 * no request to the filesystems themselves, so it works with dead and hanging ones, too.
 *
 * @param mounts in the order in which they were made
 */
public record MountTable(List<Mount> mounts) {
  private static final Path MOUNTINFO = Path.of("/proc/self/mountinfo");
  private static final int POINT_FIELD = 4;
  private static final int DEVICE_FIELD = 2;

  /**
   * One mount.
   *
   * @param device {@code major:minor} of the filesystem
   * @param point the mount point
   * @param type the filesystem type, with its subtype
   * @param source the source, such as a device
   */
  public record Mount(String device, String point, String type, String source) {
    /** Whether it is served over {@code /dev/fuse}. */
    boolean isFuse() {
      return type.equals("fuse") || type.startsWith("fuse.") || type.equals("fuseblk");
    }

    /** For messages: "ext4 (/dev/vda1)". */
    String describe() {
      return type + " (" + source + ")";
    }
  }

  public MountTable {
    mounts = List.copyOf(mounts);
  }

  /**
   * Reads the kernel's table.
   *
   * @throws IOException if /proc is not available
   */
  public static MountTable read() throws IOException {
    // Paths are bytes: Latin-1 keeps each as one character, decoded after unescaping.
    // A line feed alone ends a line: names are shown with their carriage returns.
    String text = new String(Files.readAllBytes(MOUNTINFO), StandardCharsets.ISO_8859_1);
    return parse(List.of(text.split("\n", -1)));
  }

  /** Parses lines of mountinfo; lines of another form are skipped. */
  static MountTable parse(List<String> lines) {
    List<Mount> mounts = new ArrayList<>();
    for (String line : lines) {
      // 36 35 98:0 /root /point rw,noatime shared:1 ... - type source options
      int separator = line.indexOf(" - ");
      String[] before = line.split(" ", -1);
      String[] after = separator < 0 ? new String[0] : line.substring(separator + 3).split(" ", -1);
      if (before.length > POINT_FIELD && after.length >= 2) {
        mounts.add(
            new Mount(
                before[DEVICE_FIELD],
                unescape(before[POINT_FIELD]),
                unescape(after[0]),
                unescape(after[1])));
      }
    }
    return new MountTable(mounts);
  }

  /** The mount at exactly this point; the last one, which hides those before. */
  public Optional<Mount> at(String point) {
    return mounts.reversed().stream().filter(mount -> mount.point().equals(point)).findFirst();
  }

  /**
   * Whether a filesystem is mounted anywhere.
   *
   * @param device {@code major:minor}
   */
  boolean has(String device) {
    return mounts.stream().anyMatch(mount -> mount.device().equals(device));
  }

  /** Whether the FUSE filesystem with this minor device number is mounted anywhere. */
  public boolean isMounted(long minor) {
    return has("0:" + minor);
  }

  /** The mount points below a path, in the order in which they were mounted. */
  public List<Path> inside(Path path) {
    return mounts.stream()
        .map(mount -> Path.of(mount.point()))
        .filter(point -> point.startsWith(path) && !point.equals(path))
        .distinct()
        .toList();
  }

  /**
   * The mount that contains the path: the one with the longest matching point.
   *
   * @param path an absolute one, without links
   */
  public Optional<Mount> covering(String path) {
    Optional<Mount> best = Optional.empty();
    for (Mount mount : mounts) {
      boolean above =
          mount.point().equals("/")
              || path.equals(mount.point())
              || path.startsWith(mount.point() + "/");
      if (above && (best.isEmpty() || mount.point().length() >= best.get().point().length())) {
        best = Optional.of(mount);
      }
    }
    return best;
  }

  /** A mount point as mountinfo shows it: characters that would end a field or line are escaped. */
  static String escape(String point) {
    return point
        .replace("\\", "\\134")
        .replace(" ", "\\040")
        .replace("\t", "\\011")
        .replace("\n", "\\012");
  }

  /** Undoes the octal escapes of space, tab, newline and backslash, then reads UTF-8. */
  private static String unescape(String field) {
    return new String(unescaped(field), StandardCharsets.UTF_8);
  }

  /** Undoes the octal escapes of space, tab, newline and backslash in a field read as Latin-1. */
  static byte[] unescaped(String field) {
    StringBuilder bytes = new StringBuilder();
    for (int i = 0; i < field.length(); i++) {
      char c = field.charAt(i);
      if (c == '\\' && field.length() - i > 3) {
        bytes.append((char) Integer.parseInt(field, i + 1, i + 4, 8));
        i += 3;
      } else {
        bytes.append(c);
      }
    }
    return bytes.toString().getBytes(StandardCharsets.ISO_8859_1);
  }
}
