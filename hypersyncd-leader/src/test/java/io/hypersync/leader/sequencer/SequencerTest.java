package io.hypersync.leader.sequencer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hypersync.fixtures.ManualClock;
import io.hypersync.leader.MemoryOpLog;
import io.hypersync.leader.recovery.LeaderState;
import io.hypersync.leader.sequencer.Sequencer.Result.Sequenced;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.state.FsState;
import org.junit.jupiter.api.Test;

class SequencerTest {
  private final MemoryOpLog log = new MemoryOpLog();
  private final Hash genesis = FsState.genesis().root();
  private long random;
  private long number;
  private final Sequencer sequencer =
      new Sequencer(
          new LeaderState(
              FsState.genesis(), genesis, 0, 0, IntentIndex.inMemory(IntentRetention.DEFAULT)),
          log,
          new ManualClock(),
          () -> ++random,
          Long.MAX_VALUE);

  @Test
  void theRootOfTheCommitIndexIsNotThatOfTheHead() {
    assertEquals(new IndexedRoot(0, genesis), sequencer.durable());
    LogEntry first = sequence();
    log.sync();
    LogEntry _ = sequence();

    assertEquals(new IndexedRoot(1, first.root()), sequencer.durable(), "one of two is durable");
    LogEntry third = sequence();
    log.sync();

    assertEquals(new IndexedRoot(3, third.root()), sequencer.durable(), "all are");
  }

  private LogEntry sequence() {
    number++;
    Sequencer.Result result =
        sequencer.sequence(
            new IntentId(new ClientId(1, 1), number),
            new WorkerId("w1"),
            "",
            new FsOp.MakeDir(FsState.ROOT, Name.of("d" + number), 0755, 0, 0),
            new byte[0]);
    return ((Sequenced) result).entry();
  }
}
