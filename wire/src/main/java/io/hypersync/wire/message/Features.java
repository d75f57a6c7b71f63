package io.hypersync.wire.message;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A set of features as it travels (hypersync.md 9.5). Bits that this version has no name for are
 * somebody's who knows more: they are kept and mean nothing.
 *
 * @param bits bit n is set if the {@link Feature} with that number is in it
 */
public record Features(long bits) {
  /** No feature at all. */
  public static final Features NONE = new Features(0);

  /** What this version can do. */
  public static final Features SUPPORTED = NONE;

  /** A set of these. */
  public static Features of(Feature... features) {
    long bits = 0;
    for (Feature feature : features) {
      bits |= 1L << feature.bit();
    }
    return new Features(bits);
  }

  /** What is in both: what two sides use. */
  public Features and(Features other) {
    return new Features(bits & other.bits);
  }

  /** Whether a feature is in it. */
  public boolean has(Feature feature) {
    return (bits >>> feature.bit() & 1) != 0;
  }

  /** Whether all of it is in the other one. */
  public boolean isWithin(Features other) {
    return (bits & ~other.bits) == 0;
  }

  /** The names of those that have one here, such as {@code raptorq}. */
  public List<String> names() {
    List<String> names = new ArrayList<>();
    for (Feature feature : Feature.values()) {
      if (has(feature)) {
        names.add(feature.name().toLowerCase(Locale.ROOT));
      }
    }
    return names;
  }
}
