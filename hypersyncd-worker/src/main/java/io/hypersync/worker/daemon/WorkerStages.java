package io.hypersync.worker.daemon;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.state.FsState;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.runtime.stages.RecentMaximum;
import io.hypersync.runtime.stages.RecentTimestamps;
import io.hypersync.runtime.stages.StageHistograms;
import io.hypersync.wire.message.LocalPressure;
import io.hypersync.worker.intents.FinishedMutation;
import io.hypersync.worker.intents.Mutation;
import io.hypersync.worker.intents.MutationTimestamps;
import io.hypersync.worker.profile.MutationTarget;
import io.hypersync.worker.profile.NodePaths;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;

/**
 * Latencies of this mount's mutations by stage (hypersync.md 17.1(3)). Everything is recorded right
 * after the reply is written, on the agent's thread.
 */
final class WorkerStages implements Consumer<FinishedMutation> {
  private static final long NS_PER_US = 1_000;
  private static final long MAX_LATENCY_NS = 600_000_000_000L;
  private static final int DIGITS = 3;
  private static final double P95 = 95;
  private static final int NEWEST = 512;
  private static final int SLOWEST = 16;

  /** The columns of {@link #newest}. */
  private static final int SENT = 0;

  private static final int ARRIVED = 1;

  private final Clock clock;
  private final StageHistograms<WorkerStage> histograms;

  private final ActiveProfile profiles;
  private final RecentTimestamps newest = new RecentTimestamps(NEWEST, 2);
  private final RecentMaximum<SlowMutation> slowest;

  /** From sending the intent to the reply, whether the leader accepted it or not. */
  private final Histogram latencyNs = new Histogram(MAX_LATENCY_NS, DIGITS);

  WorkerStages(Clock clock) {
    this.clock = clock;
    this.histograms =
        new StageHistograms<>(WorkerStage.class, WorkerStage.TOTAL, clock.monotonicNs());
    this.profiles = new ActiveProfile(clock);
    this.slowest = new RecentMaximum<>(SLOWEST, clock.monotonicNs());
  }

  /** A mutation that the leader refused has no entry, hence no stages. */
  @Override
  public void accept(FinishedMutation finished) {
    MutationTimestamps times = finished.mutation().times();
    long nowNs = clock.monotonicNs();
    latencyNs.recordValue(Math.clamp(nowNs - times.sentNs(), 0, MAX_LATENCY_NS));
    profiles.add(finished, nowNs);
    if (finished.entry() == null) {
      return;
    }
    add(histograms, finished, nowNs);
    newest.add(finished.intent());
    newest.set(SENT, times.sentNs());
    newest.set(ARRIVED, times.arrivedNs());
    long totalNs = WorkerStage.TOTAL.nanos(times, nowNs);
    if (slowest.admits(totalNs, nowNs)) {
      Mutation mutation = finished.mutation();
      slowest.add(
          totalNs,
          new SlowMutation(finished.intent(), mutation.op(), mutation.caller(), times, nowNs));
    }
  }

  /** Records each stage of a mutation whose reply was written at {@code answeredNs}. */
  static void add(
      StageHistograms<WorkerStage> histograms, FinishedMutation finished, long answeredNs) {
    histograms.advance(answeredNs);
    for (WorkerStage stage : WorkerStage.all()) {
      if (stage != WorkerStage.HASH || !finished.mutation().chunks().isEmpty()) {
        histograms.add(stage, stage.nanos(finished.mutation().times(), answeredNs));
      }
    }
  }

  /** The profiles of this mount; on the agent's thread. */
  ActiveProfile profiles() {
    return profiles;
  }

  /** How many mutations the leader has answered. */
  long answered() {
    return latencyNs.getTotalCount();
  }

  /** A percentile of the time from intent to reply, in microseconds. */
  long latencyUs(double percentile) {
    return latencyNs.getValueAtPercentile(percentile) / NS_PER_US;
  }

  /**
   * From sending an intent to its durable entry's arrival: the 95th percentile of the last seconds
   * in microseconds, or {@link LocalPressure#UNKNOWN} if none was sent (hypersync.md 15.2).
   */
  int commitRttUs() {
    long ns = histograms.recentNs(WorkerStage.LEADER, P95, clock.monotonicNs());
    return ns < 0 ? LocalPressure.UNKNOWN : Math.toIntExact(ns / NS_PER_US);
  }

  /** The histograms since the start, as JSON. */
  ObjectNode sinceStart() {
    return histograms.sinceStart();
  }

  /** What metrics are made of ({@link StageHistograms#buckets}). */
  ObjectNode buckets() {
    return histograms.buckets();
  }

  /**
   * All figures but the paths of the slowest mutations: finding paths takes too long for the agent.
   */
  Snapshot snapshot() {
    long nowNs = clock.monotonicNs();
    ObjectNode tree = JsonNodeFactory.instance.objectNode();
    tree.set("since_start", histograms.sinceStart());
    tree.set("recent", histograms.recent(nowNs));
    tree.set("newest", newest.all());
    return new Snapshot(tree, slowest.list(nowNs), nowNs);
  }

  /**
   * The figures of one moment.
   *
   * @param tree as in {@code docs/json.md}, without {@code slowest}
   * @param slowest the slowest mutations, slowest first
   */
  record Snapshot(ObjectNode tree, List<SlowMutation> slowest, long nowNs) {
    /**
     * Adds the slowest mutations with their paths in a state; up to a second, so off the agent's
     * thread.
     */
    ObjectNode with(FsState state) {
      Set<NodeId> nodes = new HashSet<>();
      slowest.forEach(slow -> nodes.add(MutationTarget.of(slow.op()).node()));
      Map<NodeId, String> paths = NodePaths.of(state, nodes);
      ArrayNode rows = tree.putArray("slowest");
      for (SlowMutation slow : slowest) {
        rows.add(slow.tree(NodePaths.path(MutationTarget.of(slow.op()), paths), nowNs));
      }
      return tree;
    }
  }
}
