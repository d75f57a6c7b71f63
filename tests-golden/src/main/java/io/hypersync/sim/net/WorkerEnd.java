package io.hypersync.sim.net;

import io.hypersync.model.id.WorkerId;
import io.hypersync.sim.world.Host;
import io.hypersync.wire.message.LeaderMessage;

/** The worker's end of its connections. */
public interface WorkerEnd {
  /** The process that it runs in. */
  Host host();

  /** The name in its certificate. */
  WorkerId id();

  /** The attempt has succeeded. */
  void linkUp(SimConnection connection);

  /** The attempt has failed. */
  void linkFailed();

  /** A message has arrived. */
  void received(SimConnection connection, LeaderMessage message);

  /** The connection has ended, not by the worker's own doing. */
  void linkDown(SimConnection connection);
}
