package io.hypersync.sim.net;

import io.hypersync.sim.world.Host;
import io.hypersync.wire.message.WorkerMessage;

/**
 * The leader's end of all connections, during one run of the leader. Called in events of {@link
 * #host}.
 */
public interface LeaderEnd {
  /** The process that the end belongs to. */
  Host host();

  /** A worker has connected. */
  void opened(SimConnection connection);

  /** A message has arrived. */
  void received(SimConnection connection, WorkerMessage message);

  /** The log stream accepts messages again. */
  void writable(SimConnection connection);

  /** The connection has ended, but was not closed by the leader. */
  void closed(SimConnection connection);
}
