package io.hypersync.bench;

/**
 * How often a first look was old.
 *
 * @param look of what
 * @param tries how many first looks there were
 * @param old how many of them showed what was there before
 * @param longestNs for how long, at most, until a look was right; 0 if none was old
 */
record LookResult(FirstLook look, int tries, int old, long longestNs) {
  private static final double PERCENT = 100;

  /** In percent. */
  double oldPercent() {
    return PERCENT * old / tries;
  }
}
