package io.hypersync.sim.net;

import io.hypersync.sim.world.Host;
import io.hypersync.wire.message.WorkerMessage;

/** The leader's end of all connections, during one run of the leader. */
public interface LeaderEnd {
  /** The process that it runs in. */
  Host host();

  /** A worker has connected. */
  void opened(SimConnection connection);

  /** A message has arrived. */
  void received(SimConnection connection, WorkerMessage message);

  /** The log stream takes more again. */
  void writable(SimConnection connection);

  /** The connection has ended, not by the leader's own doing. */
  void closed(SimConnection connection);
}
