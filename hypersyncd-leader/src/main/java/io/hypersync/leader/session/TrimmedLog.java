package io.hypersync.leader.session;

import io.hypersync.wire.message.LeaderMessage.Refused;
import io.hypersync.wire.message.LeaderMessage.Refused.Reason;

/**
 * The answer to a worker that needs entries which the log does not hold any more, and for which
 * there is no snapshot. If the log was trimmed while they were to be sent, the worker gets the
 * snapshot when it says Hello again (hypersync.md 13.2).
 */
final class TrimmedLog {
  private TrimmedLog() {}

  /**
   * The refusal of a worker.
   *
   * @param neededIndex the first entry that is needed, to send it or to compare its root
   * @param firstIndex the first entry of the log
   */
  static Refused refusal(long neededIndex, long firstIndex) {
    return new Refused(
        Reason.PROTOCOL_ERROR,
        "for this worker entry "
            + neededIndex
            + " is needed, and the leader's log begins at entry "
            + firstIndex
            + ": entries before were removed");
  }
}
