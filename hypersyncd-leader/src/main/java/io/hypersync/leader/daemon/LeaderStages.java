package io.hypersync.leader.daemon;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.leader.sequencer.CommitListener;
import io.hypersync.leader.sequencer.IntentTimes;
import io.hypersync.model.id.IntentId;
import io.hypersync.wire.agent.Clock;
import io.hypersync.wire.stages.NewestTimes;
import io.hypersync.wire.stages.StageHistograms;
import java.util.Set;

/**
 * Where the time of all workers' intents goes in the leader (hypersync.md 17.1(3)). Everything is
 * noted when the ack is handed over, on the agent's thread.
 */
final class LeaderStages implements CommitListener {
  /** Workers ask about their newest ones, and there are many workers. */
  private static final int NEWEST = 4_096;

  /** Received, complete, its turn, sequenced, synced, ack out. */
  private static final int COLUMNS = 6;

  private final Clock clock;
  private final StageHistograms<LeaderStage> histograms;
  private final NewestTimes newest = new NewestTimes(NEWEST, COLUMNS);
  private volatile long durableNs;

  LeaderStages(Clock clock) {
    this.clock = clock;
    this.histograms =
        new StageHistograms<>(LeaderStage.class, LeaderStage.TOTAL, clock.monotonicNs());
  }

  /** A batch has just become durable; on the thread that wrote it, before the agent hears of it. */
  void durable() {
    durableNs = clock.monotonicNs();
  }

  @Override
  public void committed(IntentId intent, IntentTimes times) {
    long nowNs = clock.monotonicNs();
    // Of the newest batch, which is this one's or came right behind it.
    long syncedNs = Math.clamp(durableNs, times.sequencedNs(), nowNs);
    histograms.advance(nowNs);
    for (LeaderStage stage : LeaderStage.all()) {
      if (stage != LeaderStage.UPLOAD || times.completeNs() != times.receivedNs()) {
        histograms.add(stage, stage.nanos(times, syncedNs, nowNs));
      }
    }
    newest.add(intent);
    newest.set(0, times.receivedNs());
    newest.set(1, times.completeNs());
    newest.set(2, times.takenNs());
    newest.set(3, times.sequencedNs());
    newest.set(4, syncedNs);
    newest.set(5, nowNs);
  }

  /** The figures since the start. */
  ObjectNode sinceStart() {
    return histograms.sinceStart();
  }

  /**
   * All that is known.
   *
   * @param intents whose times are wanted
   */
  ObjectNode all(Set<IntentId> intents) {
    ObjectNode tree = JsonNodeFactory.instance.objectNode();
    tree.set("since_start", histograms.sinceStart());
    tree.set("recent", histograms.recent(clock.monotonicNs()));
    tree.set("intents", newest.of(intents));
    return tree;
  }
}
