package io.hypersync.leader.daemon;

import io.hypersync.leader.sequencer.IntentTimes;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.wire.agent.Clock;

/** What a leader does for the figures of one intent, and nothing else of the intent. */
public final class LeaderStageCost {
  private static final IntentId INTENT = new IntentId(new ClientId(1, 1), 1);

  private final LeaderStages stages = new LeaderStages(Clock.SYSTEM);

  /** Once. */
  public void run() {
    IntentTimes times = new IntentTimes(Clock.SYSTEM.monotonicNs());
    times.sequenced(Clock.SYSTEM.monotonicNs(), Clock.SYSTEM.monotonicNs());
    stages.durable();
    stages.committed(INTENT, times);
  }
}
