package io.hypersync.leader.sequencer;

import io.hypersync.model.id.IntentId;

/**
 * Receives the timestamps of committed intents, for statistics; called on the agent's thread, must
 * not block.
 */
@FunctionalInterface
public interface CommitListener {
  /**
   * The ack of an intent is being sent.
   *
   * @param times when the intent passed each stage
   */
  void committed(IntentId intent, IntentTimestamps times);
}
