package io.hypersync.cli.render;

import java.util.Locale;

/** Formats numbers for people. */
public final class Quantities {
  private static final int KIBI = 1024;
  private static final String[] SIZE_UNITS = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  private static final int US_PER_MS = 1000;
  private static final int US_PER_S = 1_000_000;
  private static final long SECONDS_PER_MINUTE = 60;
  private static final long SECONDS_PER_HOUR = 3600;
  private static final long SECONDS_PER_DAY = 86_400;

  private Quantities() {}

  /** 1234567 is 1,234,567. */
  public static String count(long value) {
    return String.format(Locale.ROOT, "%,d", value);
  }

  /** 1536 is 1.5 KiB. */
  public static String bytes(long bytes) {
    double value = bytes;
    int unit = 0;
    while (value >= KIBI && unit < SIZE_UNITS.length - 1) {
      value /= KIBI;
      unit++;
    }
    return unit == 0
        ? bytes + " B"
        : String.format(Locale.ROOT, "%.1f %s", value, SIZE_UNITS[unit]);
  }

  /** Microseconds with a fitting unit: 850 is 850 us, 1234 is 1.23 ms, 2500000 is 2.50 s. */
  public static String micros(long us) {
    if (us < US_PER_MS) {
      return us + " us";
    }
    return us < US_PER_S
        ? String.format(Locale.ROOT, "%.2f ms", us / (double) US_PER_MS)
        : String.format(Locale.ROOT, "%.2f s", us / (double) US_PER_S);
  }

  /** Milliseconds as the two largest units: 3723000 is 1h 2m. */
  public static String uptime(long ms) {
    long seconds = ms / 1000;
    if (seconds < SECONDS_PER_MINUTE) {
      return seconds + "s";
    }
    if (seconds < SECONDS_PER_HOUR) {
      return seconds / SECONDS_PER_MINUTE + "m " + seconds % SECONDS_PER_MINUTE + "s";
    }
    if (seconds < SECONDS_PER_DAY) {
      return seconds / SECONDS_PER_HOUR
          + "h "
          + seconds % SECONDS_PER_HOUR / SECONDS_PER_MINUTE
          + "m";
    }
    return seconds / SECONDS_PER_DAY + "d " + seconds % SECONDS_PER_DAY / SECONDS_PER_HOUR + "h";
  }

  /** Returns the first twelve digits of a hash or id: enough to distinguish two at a glance. */
  public static String shortHex(String hex) {
    int digits = 12;
    return hex.length() > digits ? hex.substring(0, digits) : hex;
  }
}
