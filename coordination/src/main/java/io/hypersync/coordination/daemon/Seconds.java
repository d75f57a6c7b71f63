package io.hypersync.coordination.daemon;

import java.util.Locale;

/** Times as programs of the system take them. */
final class Seconds {
  private static final long NS_PER_MS = 1_000_000L;
  private static final long MS_PER_S = 1_000L;

  private Seconds() {}

  /** Seconds with three decimals; not less than a millisecond. */
  static String of(long ns) {
    long ms = Math.max(1, ns / NS_PER_MS);
    return String.format(Locale.ROOT, "%d.%03d", ms / MS_PER_S, ms % MS_PER_S);
  }
}
