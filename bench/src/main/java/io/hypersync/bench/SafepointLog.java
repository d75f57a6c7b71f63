package io.hypersync.bench;

import io.hypersync.runtime.admin.UserError;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The log in which a JVM writes how long each safepoint stopped all its threads, for garbage
 * collection or any other reason. {@link #option} turns it on.
 *
 * @param file of one JVM; grows while that runs
 */
record SafepointLog(Path file) {
  /** A pause in the format of JDK 25; the other lines of the log are a table of the same data. */
  private static final Pattern PAUSE =
      Pattern.compile("\\[[0-9.]+s] Safepoint \"[^\"]+\",.* Total: +([0-9]+) ns(?:,.*)?");

  /**
   * Returns the log of one process, in a directory for the logs of several.
   *
   * @param pid of the JVM
   */
  static SafepointLog of(Path folder, long pid) {
    return new SafepointLog(folder.resolve(name(Long.toString(pid))));
  }

  /**
   * Returns the JVM option that writes the log there; contains no whitespace unless the path does.
   */
  static String option(Path folder) {
    return "-Xlog:safepoint*:file=\"" + folder.resolve(name("%p")) + "\":uptime:filecount=0";
  }

  private static String name(String pid) {
    return "safepoints-" + pid + ".log";
  }

  /**
   * Returns the current length in bytes; later pauses are logged behind it.
   *
   * @throws UserError if the log has no pause yet: the JVM will not write any in this format then,
   *     and "no pauses" would be a wrong result
   */
  long length() throws IOException {
    long bytes = Files.exists(file) ? Files.size(file) : 0;
    if (pausesNs(0, bytes).isEmpty()) {
      throw new UserError(
          file + " has no line of a pause", "This JDK does not write what JDK 25 does.");
    }
    return bytes;
  }

  /**
   * Returns the pauses between two {@linkplain #length lengths}, in order: nanoseconds from the
   * request to stop the threads until they were released.
   */
  List<Long> pausesNs(long from, long to) throws IOException {
    if (to <= from) {
      return List.of();
    }
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
        InputStream in = Channels.newInputStream(channel.position(from))) {
      byte[] part = in.readNBytes(Math.toIntExact(to - from));
      return new String(part, StandardCharsets.UTF_8)
          .lines()
          .map(SafepointLog::pauseNs)
          .flatMapToLong(OptionalLong::stream)
          .boxed()
          .toList();
    }
  }

  /** Returns how long the threads were stopped, or empty if this line is not about a pause. */
  static OptionalLong pauseNs(String line) {
    Matcher found = PAUSE.matcher(line);
    return found.matches() ? OptionalLong.of(Long.parseLong(found.group(1))) : OptionalLong.empty();
  }
}
