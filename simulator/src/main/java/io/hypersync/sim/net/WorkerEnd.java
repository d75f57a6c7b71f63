package io.hypersync.sim.net;

import io.hypersync.model.id.WorkerId;
import io.hypersync.sim.world.Host;
import io.hypersync.wire.message.LeaderMessage;

/** The worker's end of its connections. Called in events of {@link #host}. */
public interface WorkerEnd {
  /** The process that the end belongs to. */
  Host host();

  /** The worker's name in its certificate. */
  WorkerId id();

  /** The connection attempt has succeeded. */
  void linkUp(SimConnection connection);

  /** The connection attempt has failed. */
  void linkFailed();

  /** A message has arrived. */
  void received(SimConnection connection, LeaderMessage message);

  /** The connection has ended, but was not closed by the worker. */
  void linkDown(SimConnection connection);
}
