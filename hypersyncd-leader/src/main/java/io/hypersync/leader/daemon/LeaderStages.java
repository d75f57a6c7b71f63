package io.hypersync.leader.daemon;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.leader.sequencer.CommitListener;
import io.hypersync.leader.sequencer.IntentTimestamps;
import io.hypersync.model.id.IntentId;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.runtime.stages.RecentTimestamps;
import io.hypersync.runtime.stages.StageHistograms;
import java.util.Set;

/**
 * Latencies of all workers' intents by leader stage (hypersync.md 17.1(3)). Recorded when the ack
 * is handed to the transport, on the agent's thread.
 */
final class LeaderStages implements CommitListener {
  /**
   * How many of the newest intents keep their timestamps: many workers ask about their own ones.
   */
  private static final int NEWEST = 4_096;

  /** Received, complete, turn, sequenced, synced, ack sent. */
  private static final int COLUMNS = 6;

  private final Clock clock;
  private final StageHistograms<LeaderStage> histograms;
  private final RecentTimestamps newest = new RecentTimestamps(NEWEST, COLUMNS);
  private volatile long durableNs;

  LeaderStages(Clock clock) {
    this.clock = clock;
    this.histograms =
        new StageHistograms<>(LeaderStage.class, LeaderStage.TOTAL, clock.monotonicNs());
  }

  /**
   * A batch has just become durable; called on the thread that wrote it, before the agent is woken.
   */
  void durable() {
    durableNs = clock.monotonicNs();
  }

  @Override
  public void committed(IntentId intent, IntentTimestamps times) {
    long nowNs = clock.monotonicNs();
    // The time of the newest durable batch, which is this entry's or one shortly after it.
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

  /** Histograms since the leader started, as JSON. */
  ObjectNode sinceStart() {
    return histograms.sinceStart();
  }

  /** What metrics are made of ({@link StageHistograms#buckets}). */
  ObjectNode buckets() {
    return histograms.buckets();
  }

  /**
   * Everything recorded: histograms since the start, recent ones, and single intents.
   *
   * @param intents intents whose own timestamps are wanted
   */
  ObjectNode all(Set<IntentId> intents) {
    ObjectNode tree = JsonNodeFactory.instance.objectNode();
    tree.set("since_start", histograms.sinceStart());
    tree.set("recent", histograms.recent(clock.monotonicNs()));
    tree.set("intents", newest.of(intents));
    return tree;
  }
}
