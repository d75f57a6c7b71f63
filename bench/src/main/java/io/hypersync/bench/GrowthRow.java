package io.hypersync.bench;

import java.util.List;
import java.util.Locale;

/**
 * A figure that must not grow with the number of entries.
 *
 * @param key its name in JSON
 * @param title its name for people
 * @param unit of all its values
 * @param found its values, that with the fewest entries first
 * @param limit what the last value may be
 */
record GrowthRow(String key, String title, Unit unit, List<Double> found, double limit) {
  /** A last value of more than so many times the first one is growth, beside the allowance. */
  static final double TIMES = 1.3;

  /** A unit, with the digits that mean something. */
  enum Unit {
    SECONDS("s", "%.2f"),
    MIB("MiB", "%.1f");

    private final String text;
    private final String format;

    Unit(String text, String format) {
      this.text = text;
      this.format = format;
    }

    /** Returns its name in JSON. */
    String key() {
      return text.toLowerCase(Locale.ROOT);
    }

    String format(double value) {
      return String.format(Locale.ROOT, format + " %s", value, text);
    }
  }

  /** Copies the list. */
  GrowthRow {
    found = List.copyOf(found);
  }

  /**
   * A figure whose last value may be {@link #TIMES} its first one.
   *
   * @param allowance and so much more: what differs though nothing grows
   */
  static GrowthRow flat(String key, String title, Unit unit, List<Double> found, double allowance) {
    return new GrowthRow(key, title, unit, found, found.getFirst() * TIMES + allowance);
  }

  /** Whether the last value is within the limit. */
  boolean isFlat() {
    return found.getLast() <= limit;
  }

  /** Returns the target of this row. */
  Target target() {
    return new Target(
        key,
        title.strip() + " at most " + unit.format(limit) + " in the end",
        String.join(", ", found.stream().map(unit::format).toList()),
        isFlat());
  }
}
