package io.hypersync.sim.check.history;

/** Result of a linearizability check. */
public enum Verdict {
  /** Some order of the calls explains every answer. */
  LINEARIZABLE,
  /** No order explains the answers. */
  WRONG,
  /** The search was given up at its limit. */
  UNDECIDED
}
