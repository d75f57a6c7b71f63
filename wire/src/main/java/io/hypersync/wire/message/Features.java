package io.hypersync.wire.message;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A set of features, as sent in Hello and Welcome (hypersync.md 9.5). Bits that this version does
 * not define come from a newer one: they are kept and have no effect.
 *
 * @param bits bit n is set if the {@link Feature} with that number is in the set
 */
public record Features(long bits) {
  public static final Features NONE = new Features(0);

  /** The features that every leader and every worker of this version supports. */
  public static final Features SUPPORTED =
      of(
          Feature.PAST_STATES,
          Feature.QUIC_DATAGRAM,
          Feature.RAPTORQ,
          Feature.MULTICAST,
          Feature.KEPT_PAYLOADS);

  /** The set of the given features. */
  public static Features of(Feature... features) {
    long bits = 0;
    for (Feature feature : features) {
      bits |= 1L << feature.bit();
    }
    return new Features(bits);
  }

  /** The intersection: what two sides can use with each other. */
  public Features and(Features other) {
    return new Features(bits & other.bits);
  }

  /** The set with one more feature. */
  public Features with(Feature feature) {
    return new Features(bits | 1L << feature.bit());
  }

  /** The set without a feature. */
  public Features without(Feature feature) {
    return new Features(bits & ~(1L << feature.bit()));
  }

  /** Whether the set contains a feature. */
  public boolean has(Feature feature) {
    return (bits >>> feature.bit() & 1) != 0;
  }

  /** Whether this is a subset of the other set. */
  public boolean isWithin(Features other) {
    return (bits & ~other.bits) == 0;
  }

  /**
   * The names of the features that this version defines, in lower case, such as {@code raptorq}.
   */
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
