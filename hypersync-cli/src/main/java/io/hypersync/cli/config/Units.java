package io.hypersync.cli.config;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Numbers with units: {@code "250ms"}, {@code "5m"}, {@code "1MiB"}. */
public final class Units {
  private static final Pattern NUMBER_AND_UNIT = Pattern.compile("([0-9]{1,18}) ?([A-Za-z]+)");

  private static final Map<String, Long> DURATION_NS = new LinkedHashMap<>();
  private static final Map<String, Long> SIZE_BYTES = new LinkedHashMap<>();

  static {
    DURATION_NS.put("us", 1_000L);
    DURATION_NS.put("ms", 1_000_000L);
    DURATION_NS.put("s", 1_000_000_000L);
    DURATION_NS.put("m", 60_000_000_000L);
    DURATION_NS.put("h", 3_600_000_000_000L);
    DURATION_NS.put("d", 86_400_000_000_000L);

    SIZE_BYTES.put("B", 1L);
    SIZE_BYTES.put("kB", 1_000L);
    SIZE_BYTES.put("KB", 1_000L);
    SIZE_BYTES.put("MB", 1_000_000L);
    SIZE_BYTES.put("GB", 1_000_000_000L);
    SIZE_BYTES.put("KiB", 1L << 10);
    SIZE_BYTES.put("MiB", 1L << 20);
    SIZE_BYTES.put("GiB", 1L << 30);
  }

  private Units() {}

  /**
   * Parses a duration.
   *
   * @throws IllegalArgumentException if it is not a number and a unit, or is longer than 292 years
   */
  public static Duration parseDuration(String text) {
    return Duration.ofNanos(parse(text, DURATION_NS));
  }

  /**
   * Parses a size; returns bytes.
   *
   * @throws IllegalArgumentException if it is not a number and a unit, or does not fit into 63 bits
   */
  static long parseSize(String text) {
    return parse(text, SIZE_BYTES);
  }

  /**
   * Returns the duration in the largest unit that divides it; {@link #parseDuration} reads it back.
   */
  static String formatDuration(Duration duration) {
    return format(duration.toNanos(), DURATION_NS, "us");
  }

  /** Returns the size in the largest unit that divides it; {@link #parseSize} reads it back. */
  static String formatSize(long bytes) {
    return format(bytes, SIZE_BYTES, "B");
  }

  private static long parse(String text, Map<String, Long> units) {
    Matcher matcher = NUMBER_AND_UNIT.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException("not a number and a unit: " + text);
    }
    Long factor = units.get(matcher.group(2));
    if (factor == null) {
      throw new IllegalArgumentException("no such unit: " + matcher.group(2));
    }
    try {
      return Math.multiplyExact(Long.parseLong(matcher.group(1)), factor);
    } catch (ArithmeticException overflow) {
      throw new IllegalArgumentException("too large: " + text, overflow);
    }
  }

  private static String format(long value, Map<String, Long> units, String smallest) {
    String unit = smallest;
    for (Map.Entry<String, Long> candidate : units.entrySet()) {
      if (value != 0
          && value % candidate.getValue() == 0
          && candidate.getValue() > units.getOrDefault(unit, 1L)) {
        unit = candidate.getKey();
      }
    }
    return value / units.getOrDefault(unit, 1L) + unit;
  }
}
