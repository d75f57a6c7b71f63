package io.hypersync.sim.check.history;

/** What is known of a history. */
public enum Verdict {
  /** Some order of the calls explains every answer. */
  LINEARIZABLE,
  /** No order does. */
  WRONG,
  /** There are more orders than were tried. */
  UNDECIDED
}
