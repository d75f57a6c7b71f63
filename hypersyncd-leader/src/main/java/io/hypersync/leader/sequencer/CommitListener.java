package io.hypersync.leader.sequencer;

import io.hypersync.model.id.IntentId;

/** Hears of what has been committed, for the figures; on the agent's thread, must not block. */
@FunctionalInterface
public interface CommitListener {
  /**
   * The ack of an intent is on its way.
   *
   * @param times when it was where
   */
  void committed(IntentId intent, IntentTimes times);
}
