package io.hypersync.bench;

import java.util.Arrays;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** The suites that can be run. */
enum Suite {
  /** Single operations through a mount. */
  E2E("e2e"),
  /** Programs that work in a mount. */
  JOBS("jobs"),
  /** Single components, with JMH. */
  MICRO("micro"),
  /** Pauses of the daemons' JVMs. */
  PAUSES("pauses"),
  /** The cost of packets from unauthenticated peers. */
  FLOOD("flood"),
  /** How often one mount shows old state right after a call through another. */
  FRESHNESS("freshness"),
  /** What grows with the number of entries. */
  GROWTH("growth"),
  /** What many files cost. */
  SCALE("scale"),
  /** How chunks get through paths that lose packets. */
  LOSS("loss");

  private final String key;

  Suite(String key) {
    this.key = key;
  }

  /** Returns the name in options and of the baseline. */
  String key() {
    return key;
  }

  /** Whether its results can be compared with a baseline. */
  boolean hasRatios() {
    return this == E2E || this == JOBS || this == MICRO;
  }

  /** Parses the value of {@code --suite}. */
  static final class Reader implements ITypeConverter<Suite> {
    @Override
    public Suite convert(String text) {
      return Arrays.stream(values())
          .filter(suite -> suite.key.equals(text))
          .findFirst()
          .orElseThrow(
              () ->
                  new TypeConversionException(
                      "expected e2e, jobs, micro, pauses, flood, freshness, growth, scale or loss"));
    }
  }
}
