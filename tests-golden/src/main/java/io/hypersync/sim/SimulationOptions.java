package io.hypersync.sim;

/**
 * What a simulated history depends on.
 *
 * @param seed decides everything else
 * @param steps how many events happen before the faults end and everything must come to rest
 */
public record SimulationOptions(long seed, int steps) {
  /** The one command that runs this history again. */
  public String command() {
    return "./hypersync simulate --seed " + seed + " --seeds 1 --steps " + steps;
  }
}
