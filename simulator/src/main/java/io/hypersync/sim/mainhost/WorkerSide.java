package io.hypersync.sim.mainhost;

import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.WorkerMessage;

/** What the connection within the process does to its worker; called by the owner only. */
public interface WorkerSide {
  /** Whether this run has not ended. */
  boolean isAlive();

  /** The connection has begun. */
  void linkUp();

  /** The connection has ended, or there was none to be had. */
  void linkDown(String reason);

  /** The agent sends this message. */
  void sending(WorkerMessage message);

  /** The agent has ended its connection, or attempt. */
  void disconnected();

  /** A message has arrived. */
  void received(LeaderMessage message);

  /** All that had arrived was delivered. */
  void work();
}
