package io.hypersync.leader.daemon;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.leader.sequencer.CommitListener;
import io.hypersync.leader.sequencer.IntentTimes;
import io.hypersync.model.id.IntentId;
import io.hypersync.wire.agent.Clock;
import io.hypersync.wire.stages.StageHistograms;

/**
 * Where the time of all workers' intents goes in the leader (hypersync.md 17.1(3)). Everything is
 * noted when the ack is handed over, on the agent's thread.
 */
final class LeaderStages implements CommitListener {
  private final Clock clock;
  private final StageHistograms<LeaderStage> histograms;
  private volatile long durableNs;

  LeaderStages(Clock clock) {
    this.clock = clock;
    this.histograms =
        new StageHistograms<>(LeaderStage.class, LeaderStage.TOTAL, clock.monotonicNs());
  }

  /** A batch has just become durable; on the log's thread, before the agent hears of it. */
  void durable() {
    durableNs = clock.monotonicNs();
  }

  @Override
  public void committed(IntentId intent, IntentTimes times) {
    long nowNs = clock.monotonicNs();
    // Of the newest batch, which is this one's or came right behind it.
    long syncedNs = Math.clamp(durableNs, times.sequencedNs(), nowNs);
    histograms.advance(nowNs);
    if (times.completeNs() != times.receivedNs()) {
      histograms.add(LeaderStage.UPLOAD, times.completeNs() - times.receivedNs());
    }
    histograms.add(LeaderStage.QUEUE, times.takenNs() - times.completeNs());
    histograms.add(LeaderStage.SEQUENCE, times.sequencedNs() - times.takenNs());
    histograms.add(LeaderStage.SYNC, syncedNs - times.sequencedNs());
    histograms.add(LeaderStage.ACK, nowNs - syncedNs);
    histograms.add(LeaderStage.TOTAL, nowNs - times.receivedNs());
  }

  /** The figures since the start. */
  ObjectNode sinceStart() {
    return histograms.sinceStart();
  }

  /** The figures of the last seconds. */
  ObjectNode recent() {
    return histograms.recent(clock.monotonicNs());
  }
}
