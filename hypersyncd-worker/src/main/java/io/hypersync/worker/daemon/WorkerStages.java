package io.hypersync.worker.daemon;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.wire.agent.Clock;
import io.hypersync.wire.stages.StageHistograms;
import io.hypersync.worker.intents.FinishedMutation;
import io.hypersync.worker.intents.MutationTimes;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;

/**
 * Where the time of this mount's mutations goes (hypersync.md 17.1(3)). Everything is noted in the
 * moment in which the answer has been written, and all of it on the agent's thread.
 */
final class WorkerStages implements Consumer<FinishedMutation> {
  private static final long NS_PER_US = 1_000;
  private static final long MAX_LATENCY_NS = 600_000_000_000L;
  private static final int DIGITS = 3;

  private final Clock clock;
  private final StageHistograms<WorkerStage> histograms;

  /** From a mutation's way to the leader to its answer, whatever that was. */
  private final Histogram latencyNs = new Histogram(MAX_LATENCY_NS, DIGITS);

  WorkerStages(Clock clock) {
    this.clock = clock;
    this.histograms =
        new StageHistograms<>(WorkerStage.class, WorkerStage.TOTAL, clock.monotonicNs());
  }

  /** What the leader has refused has no entry, hence no stages. */
  @Override
  public void accept(FinishedMutation finished) {
    MutationTimes times = finished.mutation().times();
    long nowNs = clock.monotonicNs();
    latencyNs.recordValue(Math.clamp(nowNs - times.sentNs(), 0, MAX_LATENCY_NS));
    if (finished.entry() == null) {
      return;
    }
    histograms.advance(nowNs);
    histograms.add(WorkerStage.FUSE, times.submittedNs() - times.receivedNs() - times.hashNs());
    if (!finished.mutation().chunks().isEmpty()) {
      histograms.add(WorkerStage.HASH, times.hashNs());
    }
    histograms.add(WorkerStage.GATE, times.sentNs() - times.submittedNs());
    histograms.add(WorkerStage.LEADER, times.arrivedNs() - times.sentNs());
    histograms.add(WorkerStage.APPLY, times.appliedNs() - times.arrivedNs());
    histograms.add(WorkerStage.NOTIFY, times.visibleNs() - times.appliedNs());
    histograms.add(WorkerStage.REPLY, nowNs - times.visibleNs());
    histograms.add(WorkerStage.TOTAL, nowNs - times.receivedNs());
  }

  /** How many mutations the leader has answered. */
  long answered() {
    return latencyNs.getTotalCount();
  }

  /** How long the leader's answers took, in microseconds. */
  long latencyUs(double percentile) {
    return latencyNs.getValueAtPercentile(percentile) / NS_PER_US;
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
