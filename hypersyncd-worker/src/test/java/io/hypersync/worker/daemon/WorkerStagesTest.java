package io.hypersync.worker.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.fixtures.Entries;
import io.hypersync.fixtures.ManualClock;
import io.hypersync.fixtures.StageFigures;
import io.hypersync.model.hazard.CallContext;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.Name;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.state.FsState;
import io.hypersync.worker.fuse.protocol.RequestId;
import io.hypersync.worker.intents.FinishedMutation;
import io.hypersync.worker.intents.Mutation;
import io.hypersync.worker.intents.MutationTimestamps;
import io.hypersync.worker.intents.Mutations;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which time of a mutation is counted for which stage; times are in microseconds. */
class WorkerStagesTest {
  private static final IntentId INTENT = new IntentId(new ClientId(1, 1), 1);
  private static final FsOp OP = new FsOp.MakeDir(FsState.ROOT, Name.of("d"), 0755, 0, 0);

  private final ManualClock clock = new ManualClock();
  private final WorkerStages stages = new WorkerStages(clock);

  @Test
  void eachStageEndsWhereTheNextBegins() {
    MutationTimestamps times = new MutationTimestamps(us(1_000), us(30), us(1_080));
    times.sent(us(1_180));
    times.applied(us(1_680), us(1_700));
    times.visible(us(1_740));
    clock.set(us(1_750));
    stages.accept(finished(times, List.of(Chunk.of(new byte[1])), entry()));
    expect("fuse", 1, 50, 0.067);
    expect("hash", 1, 30, 0.04);
    expect("gate", 1, 100, 0.133);
    expect("leader", 1, 500, 0.667);
    expect("apply", 1, 20, 0.027);
    expect("notify", 1, 40, 0.053);
    expect("reply", 1, 10, 0.013);
    expect("total", 1, 750, 1);
  }

  @Test
  void whatHasNoBytesIsNotCountedAsHashed() {
    stages.accept(finished(new MutationTimestamps(0, 0, 0), List.of(), entry()));
    expect("hash", 0, 0, 0);
    expect("total", 1, 0, 0);
  }

  @Test
  void whatTheLeaderRefusesIsAnsweredAndHasNoStages() {
    MutationTimestamps times = new MutationTimestamps(0, 0, us(10));
    times.sent(us(20));
    clock.set(us(420));
    stages.accept(finished(times, List.of(), null));
    expect("total", 0, 0, 0);
    assertEquals(1, stages.answered());
    assertEquals(400, stages.latencyUs(50));
  }

  private void expect(String stage, long count, double us, double share) {
    StageFigures.assertStage(stages.sinceStart(), stage, count, us, share);
  }

  private static FinishedMutation finished(
      MutationTimestamps times, List<Chunk> chunks, @Nullable LogEntry entry) {
    Mutation mutation =
        new Mutation(
            new RequestId(1),
            2,
            "",
            CallContext.NONE,
            OP,
            chunks,
            List.of(),
            Mutations.ANSWERED,
            0,
            times);
    return new FinishedMutation(INTENT, mutation, entry);
  }

  private static LogEntry entry() {
    return Entries.of(1, OP).intent(INTENT).entry();
  }

  private static long us(long micros) {
    return 1_000 * micros;
  }
}
