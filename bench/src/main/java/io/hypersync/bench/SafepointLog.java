package io.hypersync.bench;

import io.hypersync.wire.admin.UserError;
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
 * Where a Java machine writes how long it had stopped all its threads, be it for its collector or
 * for something else: what {@link #option} asks it for.
 *
 * @param file of the Java machine; it grows while that runs
 */
record SafepointLog(Path file) {
  /** As JDK 25 says it; the other lines of the log are a table of the same. */
  private static final Pattern PAUSE =
      Pattern.compile("\\[[0-9.]+s] Safepoint \"[^\"]+\",.* Total: +([0-9]+) ns(?:,.*)?");

  /**
   * The log of one process, in a folder for those of several.
   *
   * @param pid of the Java machine
   */
  static SafepointLog of(Path folder, long pid) {
    return new SafepointLog(folder.resolve(name(Long.toString(pid))));
  }

  /** The option with which any Java machine writes its log there; it has no blanks of its own. */
  static String option(Path folder) {
    return "-Xlog:safepoint*:file=\"" + folder.resolve(name("%p")) + "\":uptime:filecount=0";
  }

  private static String name(String pid) {
    return "safepoints-" + pid + ".log";
  }

  /**
   * How much of it there is by now, in bytes: what is behind that has not happened yet.
   *
   * @throws UserError if it has not told of one pause: then it never will, and none is no result
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
   * The pauses between two {@linkplain #length lengths}: from the moment the threads were asked to
   * stop until they were let go, in nanoseconds, in the order of time.
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

  /** How long the threads were stopped, if this line says it. */
  static OptionalLong pauseNs(String line) {
    Matcher found = PAUSE.matcher(line);
    return found.matches() ? OptionalLong.of(Long.parseLong(found.group(1))) : OptionalLong.empty();
  }
}
