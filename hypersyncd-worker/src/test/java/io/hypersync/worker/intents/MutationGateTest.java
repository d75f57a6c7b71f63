package io.hypersync.worker.intents;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.fixtures.ManualClock;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.WriteMode;
import io.hypersync.model.state.FsState;
import io.hypersync.wire.message.LeaderMessage.CommitAck;
import io.hypersync.wire.message.WorkerMessage.SubmitIntent;
import io.hypersync.worker.RecordingLeaderLink;
import io.hypersync.worker.fuse.protocol.RequestId;
import io.hypersync.worker.link.ReadBarrier;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Which calls wait until what was known to be committed is visible, before they go to the leader
 * (6.2).
 */
class MutationGateTest {
  private static final FsState STATE = FsState.genesis();
  private static final long STALE_NS = 250;
  private static final long DEADLINE_NS = 1_000_000;
  private static final NodeId DIRECTORY = new NodeId(7, 7);
  private static final NodeId FILE = new NodeId(8, 8);
  private static final IntentId NONE = new IntentId(new ClientId(9, 9), 9);

  private final List<String> told = new ArrayList<>();
  private final RecordingLeaderLink link = new RecordingLeaderLink();
  private final IntentTracker intents = new IntentTracker(link, () -> 1, DEADLINE_NS, _ -> {});
  private final ReadBarrier readBarrier = new ReadBarrier(link, STALE_NS);
  private final LeaderAbsence absence = new LeaderAbsence(1_000);
  private final MutationGate gate =
      new MutationGate(intents, readBarrier, new ManualClock(), 30_000_000_000L, absence);

  @BeforeEach
  void inTouchAndTwoEntriesAhead() {
    readBarrier.live();
    readBarrier.heard(0);
    readBarrier.observed(7);
  }

  @Test
  void whatHasNoLeaderWaitsForItsReturn() {
    gate.submit(mkdir(2), 5);
    absence.lost(0);
    readBarrier.lost();
    gate.strand(write(3));
    absence.tick(999);
    assertEquals(List.of(), told);
    assertEquals(2, gate.size());
    assertTrue(gate.mayHold(DIRECTORY, STATE, NONE), "the kernel waits for its caller");
    List<Mutation> again = new ArrayList<>();
    gate.whenOver(again::add);
    absence.end();
    assertEquals(2, again.size(), "as if they were made now");
    assertEquals(List.of(), told);
    assertEquals(0, gate.size());
  }

  @Test
  void aGraceEnds() {
    absence.lost(0);
    gate.strand(mkdir(2));
    absence.tick(1_000);
    assertEquals(List.of("2 EROFS"), told);
    gate.strand(mkdir(3));
    assertEquals(List.of("2 EROFS", "3 EROFS"), told, "at once from then on");
  }

  @Test
  void whoIsEndedDoesNotWaitForTheLeader() {
    absence.lost(0);
    gate.strand(mkdir(2));
    assertTrue(gate.isWaiting(new RequestId(2)));
    gate.interrupt(new RequestId(2));
    assertEquals(List.of("2 EINTR"), told);
    assertFalse(gate.isWaiting(new RequestId(2)));
    absence.end();
    assertEquals(List.of("2 EINTR"), told, "once");
  }

  @Test
  void soManyMutationsWaitAndNoMore() {
    absence.lost(0);
    for (int i = 0; i < LeaderAbsence.MAX_CALLS; i++) {
      gate.strand(mkdir(100 + i));
    }
    assertEquals(List.of(), told);
    gate.strand(mkdir(2));
    assertEquals(List.of("2 EROFS"), told);
  }

  @Test
  void whatIsFreshIsSentAtOnce() {
    gate.submit(mkdir(2), 7);
    assertEquals(1, sent().size());
  }

  @Test
  void whatIsNotWaits() {
    gate.submit(mkdir(2), 5);
    assertEquals(List.of(), sent());
    assertEquals(1, gate.size());
    readBarrier.advance(7);
    assertEquals(1, sent().size());
    assertEquals(List.of(), told);
  }

  @Test
  void aWriteNeedsNoPathAndDoesNotWait() {
    gate.submit(write(2), 5);
    assertEquals(1, sent().size());
  }

  @Test
  void withoutALeaderItEndsWithErofs() {
    gate.submit(mkdir(2), 5);
    readBarrier.lost();
    assertEquals(List.of("2 EROFS"), told);
    gate.submit(mkdir(4), 7);
    assertEquals(List.of("2 EROFS", "4 EROFS"), told);
    assertEquals(0, gate.size());
    assertEquals(List.of(), sent());
  }

  @Test
  void whatWaitsForTooLongEndsWithEioAndIsNeverSent() {
    gate.submit(mkdir(2), 5);
    gate.expire(29_999_999_999L);
    assertEquals(List.of(), told);
    gate.expire(30_000_000_000L);
    assertEquals(List.of("2 EIO"), told);
    readBarrier.advance(7);
    assertEquals(List.of(), sent());
  }

  /** Of what was sent the outcome is unknown; of the rest it is known here only. */
  @Test
  void whatIsGivenUpForItsNodeEndsWithEioAndIsNeverSentAgain() {
    gate.submit(write(2), 5);
    gate.submit(mkdir(4), 7);
    gate.submit(mkdir(6), 5);
    gate.giveUp(Set.of(FILE));
    assertEquals(List.of("2 EIO"), told);
    gate.giveUp(Set.of(DIRECTORY));
    assertEquals(List.of("2 EIO", "6 EIO", "4 EIO"), told);
    assertEquals(0, gate.size());
    int before = sent().size();
    readBarrier.advance(7);
    intents.reconnected(0, 0);
    intents.retry(0);
    assertEquals(before, sent().size());
  }

  @Test
  void aSignalEndsWhatHasNotBeenSent() {
    gate.submit(mkdir(2), 5);
    gate.submit(mkdir(4), 5);
    interrupt(2);
    interrupt(2);
    interrupt(6);
    assertEquals(List.of("2 EINTR"), told);
    readBarrier.advance(7);
    assertEquals(1, sent().size());
    interrupt(4);
    assertEquals(List.of("2 EINTR"), told, "what was sent goes on");
    assertEquals(1, gate.size());
  }

  @Test
  void aSignalEndsWhatTheLeaderHasRefusedForNow() {
    gate.submit(mkdir(2), 7);
    intents.acknowledged(new CommitAck(sent().getFirst(), Errno.EAGAIN, null, 0), 7, 0);
    interrupt(2);
    assertEquals(List.of("2 EINTR"), told);
    assertEquals(0, gate.size());
  }

  @Test
  void whatMustNotEndHalfDoneIsNamedByNoSignal() {
    gate.submit(mkdir(0), 5);
    interrupt(2);
    assertEquals(1, gate.size());
  }

  @Test
  void fsyncWaitsForWhatWaitsHereAndThenForTheLeader() {
    gate.submit(mkdir(2), 5);
    assertTrue(gate.fsync(FILE, call("other")));
    assertFalse(gate.fsync(DIRECTORY, call("synced")));
    readBarrier.advance(7);
    assertEquals(List.of("other"), told);
    intents.acknowledged(new CommitAck(sent().getFirst(), Errno.EEXIST, null, 0), 7, 0);
    assertEquals(List.of("other", "2 EEXIST", "synced"), told);
  }

  @Test
  void fsyncIsOverWhenWhatItWaitsForIsGivenUp() {
    gate.submit(mkdir(2), 5);
    assertFalse(gate.fsync(DIRECTORY, call("synced")));
    interrupt(2);
    assertEquals(List.of("2 EINTR", "synced"), told);
  }

  @Test
  void aSignalEndsAnFsync() {
    gate.submit(mkdir(2), 5);
    gate.fsync(DIRECTORY, call("here"));
    interrupt(12);
    assertEquals(List.of("here EINTR"), told);
    gate.fsync(DIRECTORY, call("there"));
    readBarrier.advance(7);
    interrupt(12);
    assertEquals(List.of("here EINTR", "there EINTR"), told);
    assertEquals(1, gate.size(), "the mutation goes on");
  }

  @Test
  void aDirectoryMayBeHeldByWhatWaitsHere() {
    assertFalse(gate.mayHold(DIRECTORY, STATE, NONE));
    gate.submit(mkdir(2), 5);
    assertTrue(gate.mayHold(DIRECTORY, STATE, NONE));
    assertFalse(gate.mayHold(FILE, STATE, NONE));
    interrupt(2);
    assertFalse(gate.mayHold(DIRECTORY, STATE, NONE));
  }

  @Test
  void aDirectoryMayBeHeldByAnFsync() {
    gate.submit(mkdir(2), 5);
    gate.fsync(DIRECTORY, call("synced"));
    readBarrier.advance(7);
    assertTrue(gate.mayHold(DIRECTORY, STATE, sent().getFirst()), "by the fsync alone");
    interrupt(12);
    assertFalse(gate.mayHold(DIRECTORY, STATE, sent().getFirst()));
    assertTrue(gate.mayHold(DIRECTORY, STATE, NONE));
  }

  @Test
  void aDirectoryIsHeldByACallThatWaitsHereOrForTheLeaderAndByNoFsync() {
    assertFalse(gate.holds(DIRECTORY, NONE));
    gate.submit(mkdir(2), 5);
    assertTrue(gate.holds(DIRECTORY, NONE), "it waits here");
    readBarrier.advance(7);
    assertTrue(gate.holds(DIRECTORY, NONE), "it is sent");
    assertFalse(gate.holds(DIRECTORY, sent().getFirst()), "but for itself");
    gate.fsync(DIRECTORY, call("synced"));
    assertFalse(gate.holds(DIRECTORY, sent().getFirst()));
  }

  private void interrupt(long unique) {
    gate.interrupt(new RequestId(unique));
  }

  private Mutation mkdir(long unique) {
    return mutation(unique, new FsOp.MakeDir(DIRECTORY, Name.of("d"), 0755, 0, 0));
  }

  private Mutation write(long unique) {
    ChunkRef chunk = new ChunkRef(Hash.ZERO, 1);
    return mutation(unique, new FsOp.Write(FILE, WriteMode.APPEND, 0, List.of(chunk), false));
  }

  private Mutation mutation(long unique, FsOp op) {
    return Mutations.of(new RequestId(unique), op, Mutations.noting(told, unique + " "));
  }

  private WaitingCall call(String name) {
    return new WaitingCall(
        new RequestId(12), () -> told.add(name), () -> told.add(name + " EINTR"));
  }

  private List<IntentId> sent() {
    return link.sent(SubmitIntent.class).stream().map(SubmitIntent::intent).toList();
  }
}
