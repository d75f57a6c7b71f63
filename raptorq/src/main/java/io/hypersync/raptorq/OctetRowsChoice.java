package io.hypersync.raptorq;

/** Chooses once, when the first code is made. */
final class OctetRowsChoice {
  static final OctetRows BEST = choose();

  /** So many calls are enough for the last compiler of the JVM, with so many bytes each. */
  private static final int WARM_UP_CALLS = 10_000;

  private static final int WARM_UP_BYTES = 1280;

  private OctetRowsChoice() {}

  static void warmUp() {
    byte[] from = new byte[WARM_UP_BYTES];
    byte[] to = new byte[WARM_UP_BYTES];
    for (int i = 0; i < WARM_UP_CALLS; i++) {
      BEST.multiplyAdd(to, 0, from, 0, WARM_UP_BYTES, i % Octets.COUNT);
    }
  }

  private static OctetRows choose() {
    // The class with vectors does not link where their module is absent, so it is asked last.
    boolean vectors =
        !Boolean.getBoolean(OctetRows.FORCE_SCALAR)
            && ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent()
            && VectorOctetRows.isUsable();
    return vectors ? VectorOctetRows.INSTANCE : ScalarOctetRows.INSTANCE;
  }
}
