package io.hypersync.worker.daemon;

import io.hypersync.fixtures.Entries;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hazard.CallContext;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.Name;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.state.FsState;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.worker.fuse.protocol.RequestId;
import io.hypersync.worker.intents.Completion;
import io.hypersync.worker.intents.FinishedMutation;
import io.hypersync.worker.intents.Mutation;
import io.hypersync.worker.intents.MutationTimestamps;
import java.util.List;

/**
 * The worker's time measurements for one mutation and nothing else, as a workload for a benchmark.
 */
public final class WorkerStageCost {
  private static final IntentId INTENT = new IntentId(new ClientId(1, 1), 1);
  private static final FsOp OP = new FsOp.MakeDir(FsState.ROOT, Name.of("d"), 0755, 0, 0);

  private final WorkerStages stages = new WorkerStages(Clock.SYSTEM);
  private final LogEntry entry = Entries.of(1, OP).intent(INTENT).entry();

  private static final Completion NOBODY =
      new Completion() {
        @Override
        public void committed(LogEntry entry, FsState state) {}

        @Override
        public void failed(Errno errno) {}
      };

  /** Takes and records all measurements of one mutation. */
  public void run() {
    Clock clock = Clock.SYSTEM;
    long receivedNs = clock.monotonicNs();
    long begunNs = clock.monotonicNs(); // before and after hashing; then after the store
    long hashedNs = clock.monotonicNs();
    MutationTimestamps times =
        new MutationTimestamps(receivedNs, hashedNs - begunNs, clock.monotonicNs());
    times.sent(clock.monotonicNs());
    times.applied(clock.monotonicNs(), clock.monotonicNs());
    times.visible(clock.monotonicNs());
    Mutation mutation =
        new Mutation(
            new RequestId(1), 2, "", CallContext.NONE, OP, List.of(), List.of(), NOBODY, 0, times);
    stages.accept(new FinishedMutation(INTENT, mutation, entry));
  }
}
