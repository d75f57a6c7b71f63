package io.hypersync.sim;

/**
 * All that a simulated history depends on.
 *
 * @param seed determines all random choices
 * @param steps number of events before fault injection ends and the cluster must converge
 */
public record SimulationOptions(long seed, int steps) {
  /** The shell command that runs this history again. */
  public String command() {
    return "./hypersync simulate --seed " + seed + " --seeds 1 --steps " + steps;
  }
}
