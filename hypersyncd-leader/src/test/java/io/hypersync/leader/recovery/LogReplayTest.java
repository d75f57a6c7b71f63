package io.hypersync.leader.recovery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.chunkstore.InMemoryChunkStore;
import io.hypersync.leader.oplog.RecoveryListener.Verdict;
import io.hypersync.leader.sequencer.IntentIndex;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.OpId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.log.LogEntryCodec;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.FsStateMachine;
import io.hypersync.model.state.Outcome;
import io.hypersync.model.state.Stamp;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A log that is not what its replay gives is refused, by the first entry that differs. */
class LogReplayTest {
  private static final byte[] NOTHING = {};

  private final LogReplay replay =
      new LogReplay(new InMemoryChunkStore(), new IntentIndex(100_000, 1_000), _ -> {});
  private FsState state = FsState.genesis();
  private long index;

  @Test
  void whatIsReplayedIsTheStateThatWasLogged() {
    for (int i = 0; i < 10_000; i++) {
      assertEquals(Verdict.KEEP, next(logged()));
    }
    LeaderState result = replay.result();
    assertEquals(10_000, result.index());
    assertEquals(state.root(), result.root());
    assertEquals(state.root(), result.state().root());
  }

  @ParameterizedTest
  @CsvSource({
    // the first wrong root, how many entries follow
    "1, 0",
    "1, 6000",
    "4000, 50",
    "4096, 0",
    "4096, 1",
    "4097, 9000",
    "5000, 4000",
  })
  void theFirstEntryWithAnotherRootIsNamed(int wrong, int more) {
    ReplayException refused =
        assertThrows(
            ReplayException.class,
            () -> {
              for (int i = 1; i <= wrong + more; i++) {
                next(i < wrong ? logged() : withRoot(Hash.ZERO));
              }
              var _ = replay.result();
            });
    assertTrue(refused.getMessage().startsWith("log entry " + wrong + " "), refused::getMessage);
  }

  @Test
  void anEntryWithAnotherRootIsNamedBeforeALaterOneThatCannotBeReplayed() {
    next(logged());
    next(withRoot(Hash.ZERO));
    NodeId nowhere = new NodeId(7, 7);
    FsOp impossible = new FsOp.MakeDir(nowhere, Name.of("x"), 0, 0, 0);
    ReplayException refused =
        assertThrows(ReplayException.class, () -> next(entry(impossible, Hash.ZERO)));
    assertTrue(refused.getMessage().startsWith("log entry 2 "), refused::getMessage);
  }

  private Verdict next(byte[] payload) {
    return replay.onRecord(index, payload);
  }

  /** A directory is made. */
  private byte[] logged() {
    FsOp op = op(index + 1);
    Stamp stamp = new Stamp(index + 1, new NodeId(1, index + 2));
    state = ((Outcome.Applied) FsStateMachine.apply(state, op, stamp)).state();
    return entry(op, state.root());
  }

  private byte[] withRoot(Hash root) {
    return entry(op(index + 1), root);
  }

  private static FsOp op(long number) {
    return new FsOp.MakeDir(FsState.ROOT, Name.of("d" + number), 0755, 0, 0);
  }

  private byte[] entry(FsOp op, Hash root) {
    index++;
    return LogEntryCodec.encode(
        new LogEntry(
            index,
            new OpId(1, index),
            index,
            new IntentId(new ClientId(1, 1), index),
            new WorkerId("w1"),
            "",
            op,
            new NodeId(1, index + 1),
            root,
            NOTHING,
            NOTHING));
  }
}
