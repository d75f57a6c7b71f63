package io.hypersync.leader.port;

/**
 * Replays the leader's log again from its first entry, off the agent's thread, then calls {@code
 * LeaderAgent.audited}: always, unless the leader stops.
 */
@FunctionalInterface
public interface RootAuditPort {
  /**
   * Checks whether replaying the log up to an entry gives the root that is logged for it.
   *
   * @param index of the entry, which is durable
   * @param stateBytes about how many bytes of heap the newest state takes: the replay's own state
   *     takes as much again
   */
  void audit(long index, long stateBytes);
}
