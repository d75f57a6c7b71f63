package io.hypersync.leader.port;

import io.hypersync.leader.sequencer.IntentBatch;

/**
 * Writes committed intents to the {@link io.hypersync.leader.sequencer.IntentStore} off the agent's
 * thread, then calls {@code LeaderAgent.intentsWritten}: always, unless the leader stops.
 */
@FunctionalInterface
public interface IntentWritePort {
  /** Writes a batch. The next one is given only after this one has been reported as written. */
  void write(IntentBatch batch);
}
