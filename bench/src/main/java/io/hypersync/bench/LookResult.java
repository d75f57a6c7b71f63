package io.hypersync.bench;

/**
 * How often first looks showed an old state.
 *
 * @param look kind of change
 * @param tries number of first looks
 * @param old how many of them showed the state before the change
 * @param longestNs the longest time from an old first look until a look was right; 0 if none was
 *     old
 */
record LookResult(FirstLook look, int tries, int old, long longestNs) {
  private static final double PERCENT = 100;

  /** Returns the share of old looks, in percent. */
  double oldPercent() {
    return PERCENT * old / tries;
  }
}
