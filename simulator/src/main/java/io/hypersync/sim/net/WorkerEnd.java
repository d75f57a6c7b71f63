package io.hypersync.sim.net;

import io.hypersync.model.id.WorkerId;
import io.hypersync.sim.world.Host;
import io.hypersync.wire.message.ChunkSymbol;
import io.hypersync.wire.message.LeaderMessage;

/** The worker's end of its connections. Called in events of {@link #host}. */
public interface WorkerEnd {
  /** The process that the end belongs to. */
  Host host();

  /** The worker's name in its certificate. */
  WorkerId id();

  /** Whether it fetches a snapshot of the leader. */
  boolean isInstalling();

  /** The connection attempt has succeeded. */
  void linkUp(SimConnection connection);

  /** The connection attempt has failed. */
  void linkFailed();

  /** A message has arrived. */
  void received(SimConnection connection, LeaderMessage message);

  /** A symbol has arrived, in a datagram. */
  void received(SimConnection connection, ChunkSymbol symbol);

  /** A symbol has arrived so late that its connection may have ended. */
  void receivedLate(SimConnection connection, ChunkSymbol symbol);

  /** A symbol comes again and again from now on, and no other one for a while. */
  void repeats();

  /** The connection has ended, but was not closed by the worker. */
  void linkDown(SimConnection connection);
}
