package io.hypersync.leader.port;

import io.hypersync.leader.retention.LogRetention.Needs;

/** Removes old segments of the log off the agent's thread. */
@FunctionalInterface
public interface LogTrimPort {
  /** Keeps everything. */
  LogTrimPort NONE = (_, _, _) -> {};

  /**
   * Removes what may go by the rules of {@code LogRetention}, or some of it. Returns at once;
   * failures are logged, and the next call tries again.
   *
   * @param headIndex the newest durable entry
   * @param headTimeNs the time of the newest entry
   * @param needs what has to stay
   */
  void trim(long headIndex, long headTimeNs, Needs needs);
}
