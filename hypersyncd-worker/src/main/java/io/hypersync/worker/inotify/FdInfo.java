package io.hypersync.worker.inotify;

import io.hypersync.model.id.InodeNo;
import java.util.List;
import java.util.Map;

/**
 * Parser of {@code /proc/PID/fdinfo/FD} of an inotify descriptor, which has a line for each watch:
 *
 * <pre>
 * inotify wd:1 ino:2a sdev:2f mask:fce ignored_mask:0 fhandle-bytes:c fhandle-type:81 f_handle:...
 * </pre>
 *
 * <p>All numbers but the first are hexadecimal; {@code sdev} is major &lt;&lt; 20 | minor.
 */
public final class FdInfo {
  private static final String LINE = "inotify ";
  private static final String INODE = "ino:";
  private static final String DEVICE = "sdev:";
  private static final String MASK = "mask:";
  private static final int HEX = 16;

  private FdInfo() {}

  /**
   * Adds the masks of the watches on one filesystem to {@code masks}, by inode number. Lines of
   * another form, such as a newer kernel may write, are skipped.
   *
   * @param device the filesystem's device number, as in {@code sdev}
   */
  public static void collect(List<String> lines, long device, Map<InodeNo, Integer> masks) {
    for (String line : lines) {
      if (line.startsWith(LINE)) {
        add(line, device, masks);
      }
    }
  }

  private static void add(String line, long device, Map<InodeNo, Integer> masks) {
    try {
      if (number(line, DEVICE) == device) {
        int mask = (int) number(line, MASK) & WatchMask.REPORTED;
        masks.merge(new InodeNo(number(line, INODE)), mask, (a, b) -> a | b);
      }
    } catch (NumberFormatException anotherForm) {
      // A line of another form.
    }
  }

  private static long number(String line, String key) {
    int at = line.indexOf(" " + key);
    if (at < 0) {
      throw new NumberFormatException(key);
    }
    int from = at + 1 + key.length();
    int to = line.indexOf(' ', from);
    return Long.parseUnsignedLong(line, from, to < 0 ? line.length() : to, HEX);
  }
}
