package io.hypersync.leader.port;

import io.hypersync.wire.transport.SessionId;

/**
 * Reads old log entries off the agent's thread; the result arrives as a call of {@code
 * LeaderAgent.logRead}, or of {@code LeaderAgent.logTrimmed} if the log begins behind them.
 */
@FunctionalInterface
public interface LogReadPort {
  /**
   * Requests durable entries, from {@code fromIndex} on.
   *
   * @param maxBytes approximate size of the result; at least one entry is returned
   */
  void read(SessionId session, long fromIndex, int maxBytes);
}
