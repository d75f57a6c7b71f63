package io.hypersync.sim.net;

/** Which way a message goes. */
public enum Direction {
  /** From a worker to the leader. */
  UP,
  /** From the leader to a worker. */
  DOWN
}
