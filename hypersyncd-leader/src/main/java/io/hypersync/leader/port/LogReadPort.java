package io.hypersync.leader.port;

import io.hypersync.wire.transport.SessionId;

/** Reads old log entries off the agent's thread; the answer is {@code LeaderAgent.logRead}. */
@FunctionalInterface
public interface LogReadPort {
  /**
   * Asks for durable entries from {@code fromIndex} on.
   *
   * @param maxBytes about how much; at least one entry comes
   */
  void read(SessionId session, long fromIndex, int maxBytes);
}
