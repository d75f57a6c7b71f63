package io.hypersync.leader.daemon;

import io.hypersync.leader.sequencer.IntentTimestamps;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.runtime.agent.Clock;

/**
 * The leader's time measurements for one intent and nothing else, as a workload for a benchmark.
 */
public final class LeaderStageCost {
  private static final IntentId INTENT = new IntentId(new ClientId(1, 1), 1);

  private final LeaderStages stages = new LeaderStages(Clock.SYSTEM);

  /** Takes and records all measurements of one intent. */
  public void run() {
    IntentTimestamps times = new IntentTimestamps(Clock.SYSTEM.monotonicNs());
    times.sequenced(Clock.SYSTEM.monotonicNs(), Clock.SYSTEM.monotonicNs());
    stages.durable();
    stages.committed(INTENT, times);
  }
}
