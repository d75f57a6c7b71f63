package io.hypersync.sim.net;

/** The direction of a message. */
public enum Direction {
  /** From a worker to the leader. */
  UP,
  /** From the leader to a worker. */
  DOWN
}
