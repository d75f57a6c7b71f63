package io.hypersync.e2e.harness;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How long a daemon's JVM has stopped all its threads, for a collection of garbage or for any other
 * reason, from the request until they were released.
 *
 * @param file which the daemon writes, see {@link #option}
 */
public record Safepoints(Path file) {
  /** A line in the format of JDK 25. */
  private static final Pattern PAUSE =
      Pattern.compile("\\[[0-9.]+s] Safepoint \"[^\"]+\",.* Total: +([0-9]+) ns(?:,.*)?");

  /** The option with which a JVM writes the file. */
  public String option() {
    return "-Xlog:safepoint*:file=" + file + ":uptime:filecount=0";
  }

  /** The length of the file now, in bytes; later pauses are behind it. */
  public long length() throws IOException {
    return Files.size(file);
  }

  /** The pauses behind a place of the file, in nanoseconds, in the order in which they were. */
  public long[] since(long length) throws IOException {
    byte[] all = Files.readAllBytes(file);
    byte[] part = Arrays.copyOfRange(all, Math.toIntExact(length), all.length);
    return new String(part, StandardCharsets.UTF_8)
        .lines()
        .map(PAUSE::matcher)
        .filter(Matcher::matches)
        .mapToLong(pause -> Long.parseLong(pause.group(1)))
        .toArray();
  }
}
