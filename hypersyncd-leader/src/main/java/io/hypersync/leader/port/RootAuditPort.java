package io.hypersync.leader.port;

/**
 * Replays the leader's log once more, from its first entry on, off the agent's thread; then {@code
 * LeaderAgent.audited} is called, whatever happens, unless the leader stops.
 */
@FunctionalInterface
public interface RootAuditPort {
  /**
   * Looks whether the root of an entry is what comes of it.
   *
   * @param index of the entry, which is durable
   * @param stateBytes what the newest state takes of the heap, about: a second one takes as much
   */
  void audit(long index, long stateBytes);
}
