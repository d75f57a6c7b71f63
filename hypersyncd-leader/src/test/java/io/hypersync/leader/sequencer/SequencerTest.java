package io.hypersync.leader.sequencer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.hypersync.fixtures.ManualClock;
import io.hypersync.leader.MemoryOpLog;
import io.hypersync.leader.recovery.LeaderState;
import io.hypersync.leader.sequencer.Sequencer.Result.Sequenced;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.hazard.Author;
import io.hypersync.model.hazard.CallContext;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.AllocateMode;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.XattrMode;
import io.hypersync.model.state.FsState;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class SequencerTest {
  private final MemoryOpLog log = new MemoryOpLog();
  private final Hash genesis = FsState.genesis().root();
  private static final byte[] NAME = "user.a".getBytes(StandardCharsets.US_ASCII);

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

  /** Else a user who has filled the disk could free nothing. */
  @Test
  void aNearlyFullLogTakesOnlyWhatGivesRoomBack() {
    NodeId directory = sequence().createdNode();
    NodeId file = made(new FsOp.CreateFile(FsState.ROOT, Name.of("f"), 0644, 0, 0));
    assertTaken(new FsOp.Truncate(file, 10_000, false));
    assertTaken(new FsOp.SetXattr(file, NAME, new ChunkRef(genesis, 5), XattrMode.SET));
    log.nearlyFull(true);
    assertRefused(new FsOp.MakeDir(FsState.ROOT, Name.of("other"), 0755, 0, 0));
    assertRefused(new FsOp.Truncate(file, 20_000, false));
    assertRefused(new FsOp.Allocate(file, AllocateMode.EXTEND, 0, 10, false));
    assertRefused(new FsOp.Link(file, directory, Name.of("g")));
    assertRefused(new FsOp.SetXattr(file, NAME, new ChunkRef(genesis, 6), XattrMode.SET));
    assertRefused(new FsOp.SetAttributes(file, FsOp.SetAttributes.MODE, 0600, 0, 0, 0));
    assertTaken(new FsOp.Allocate(file, AllocateMode.PUNCH_HOLE, 0, 10, false));
    assertTaken(new FsOp.Truncate(file, 10, false));
    assertTaken(new FsOp.RemoveXattr(file, NAME));
    assertTaken(new FsOp.Unlink(FsState.ROOT, Name.of("f")));
    assertTaken(new FsOp.RemoveDir(FsState.ROOT, Name.of("d1")));
    log.nearlyFull(false);
    assertTaken(new FsOp.MakeDir(FsState.ROOT, Name.of("other"), 0755, 0, 0));
  }

  private void assertTaken(FsOp op) {
    assertInstanceOf(Sequenced.class, result(op), op::toString);
  }

  private void assertRefused(FsOp op) {
    assertEquals(new Sequencer.Result.Refused(Errno.ENOSPC), result(op), op::toString);
  }

  private NodeId made(FsOp op) {
    return ((Sequenced) result(op)).entry().createdNode();
  }

  private LogEntry sequence() {
    FsOp op = new FsOp.MakeDir(FsState.ROOT, Name.of("d" + (number + 1)), 0755, 0, 0);
    return ((Sequenced) result(op)).entry();
  }

  private Sequencer.Result result(FsOp op) {
    number++;
    return sequencer.sequence(
        new IntentId(new ClientId(1, 1), number),
        new Author("", new WorkerId("w1")),
        CallContext.NONE,
        op,
        new byte[0]);
  }
}
