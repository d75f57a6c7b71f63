package io.hypersync.raptorq;

import java.util.stream.Stream;

/** What a test of arithmetic, or of all that rests on it, runs with. */
final class Implementations {
  private Implementations() {}

  static Stream<OctetRows> all() {
    return Stream.of(ScalarOctetRows.INSTANCE, VectorOctetRows.INSTANCE);
  }
}
