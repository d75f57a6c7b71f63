package io.hypersync.bench;

import java.util.Arrays;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** What can be measured. */
enum Suite {
  /** Single operations through a mount. */
  E2E("e2e"),
  /** Programs that work in a mount. */
  JOBS("jobs"),
  /** Parts of the product by themselves. */
  MICRO("micro"),
  /** For how long daemons stand still. */
  PAUSES("pauses"),
  /** What strangers at the leader's port cost those who work. */
  FLOOD("flood"),
  /** How often one mount shows old state right after a call through another. */
  FRESHNESS("freshness");

  private final String key;

  Suite(String key) {
    this.key = key;
  }

  /** Name in options and of its baseline. */
  String key() {
    return key;
  }

  /** Whether what is found can be held against a baseline. */
  boolean hasRatios() {
    return this == E2E || this == JOBS || this == MICRO;
  }

  /** As the option has it. */
  static final class Reader implements ITypeConverter<Suite> {
    @Override
    public Suite convert(String text) {
      return Arrays.stream(values())
          .filter(suite -> suite.key.equals(text))
          .findFirst()
          .orElseThrow(
              () ->
                  new TypeConversionException(
                      "expected e2e, jobs, micro, pauses, flood or freshness"));
    }
  }
}
