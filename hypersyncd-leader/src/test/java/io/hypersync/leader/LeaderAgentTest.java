package io.hypersync.leader;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hypersync.fixtures.ManualClock;
import io.hypersync.leader.recovery.AuditFinding;
import io.hypersync.leader.recovery.WrongRootException;
import io.hypersync.leader.session.Hellos;
import io.hypersync.leader.session.RecordingSessionPort;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.OpCodec;
import io.hypersync.model.state.FsState;
import io.hypersync.runtime.progress.Progress;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.LeaderMessage.CommitAck;
import io.hypersync.wire.message.LeaderMessage.IntentStatusResponse;
import io.hypersync.wire.message.LeaderMessage.IntentStatusResponse.Status;
import io.hypersync.wire.message.LeaderMessage.LogEntries;
import io.hypersync.wire.message.WorkerMessage.ApplyError;
import io.hypersync.wire.message.WorkerMessage.IntentStatusRequest;
import io.hypersync.wire.message.WorkerMessage.SubmitIntent;
import io.hypersync.wire.message.WorkerMessage.WorkerApplied;
import io.hypersync.wire.transport.SessionId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What the leader sends within one turn. It must leave nothing for later: no event would wake it
 * for that.
 */
class LeaderAgentTest {
  private static final WorkspaceId WORKSPACE = new WorkspaceId(1, 1);
  private static final WorkerId WORKER = new WorkerId("w1");
  private static final SessionId SESSION = new SessionId(1);
  private static final ClientId CLIENT = new ClientId(1, 42);

  private final ManualClock clock = new ManualClock();
  private final MemoryOpLog log = new MemoryOpLog();
  private final RecordingSessionPort port = new RecordingSessionPort();
  private final List<Long> audits = new ArrayList<>();
  private final LeaderAgent leader =
      new LeaderParts(WORKSPACE)
          .log(log)
          .auditor((index, _) -> audits.add(index))
          .port(port)
          .clock(clock)
          .agent();

  @BeforeEach
  void join() {
    turn();
    leader.sessionOpened(SESSION, WORKER, "here");
    leader.received(SESSION, Hellos.ofNew(WORKSPACE, WORKER, new ClientId(7, 7)));
    turn();
    port.sent.clear();
  }

  @Test
  void aRefusalLeavesInTheTurnThatDecidesIt() {
    submit(1, new FsOp.RemoveDir(FsState.ROOT, Name.of("nobody")));
    leader.doWork();
    assertEquals(List.of(Errno.ENOENT), errors());
  }

  @Test
  void butNotBeforeTheEntryItRestsOn() {
    submit(1, new FsOp.MakeDir(FsState.ROOT, Name.of("a"), 0755, 0, 0));
    submit(2, new FsOp.MakeDir(FsState.ROOT, Name.of("a"), 0755, 0, 0));
    leader.doWork();
    assertEquals(List.of(), acks(), "the first one is not durable");
    turn();
    assertEquals(2, acks().size());
    assertEquals(Errno.EEXIST, acks().get(1).errno());
  }

  @Test
  void anEntryGoesToItsWorkerAtOnceAndItsAckWhenItIsDurable() {
    submit(1, new FsOp.MakeDir(FsState.ROOT, Name.of("a"), 0755, 0, 0));
    leader.doWork();
    LogEntries ahead = (LogEntries) port.sent.getFirst().message();
    assertEquals(1, ahead.commitIndex(), "the entry before it");
    assertEquals(1, ahead.entries().size());
    port.sent.clear();
    turn();
    assertEquals(1, port.sent.size(), "the entry is there already");
    assertEquals(2, acks().getFirst().asOfIndex());
  }

  @Test
  void afterAWhileWithoutCompanyAnEntryAndItsAckLeaveTogether() {
    log.givesWriting(true);
    for (int seqNo = 1; seqNo < 8; seqNo++) {
      submit(seqNo, new FsOp.MakeDir(FsState.ROOT, Name.of("a" + seqNo), 0755, 0, 0));
      port.sent.clear();
      leader.doWork();
      assertEquals(List.of(), acks(), "intent " + seqNo + " waits for the log's thread");
      turn();
    }
    submit(8, new FsOp.MakeDir(FsState.ROOT, Name.of("a8"), 0755, 0, 0));
    port.sent.clear();
    leader.doWork();
    assertEquals(1, acks().size());
    LogEntries entry = (LogEntries) port.sent.getLast().message();
    assertEquals(log.durableIndex(), entry.commitIndex(), "the entry itself");
    assertEquals(log.durableIndex(), acks().getFirst().asOfIndex());

    submit(9, new FsOp.MakeDir(FsState.ROOT, Name.of("a9"), 0755, 0, 0));
    submit(10, new FsOp.MakeDir(FsState.ROOT, Name.of("a10"), 0755, 0, 0));
    port.sent.clear();
    leader.doWork();
    assertEquals(List.of(), acks(), "two at once are the thread's");
    turn();
    assertEquals(2, acks().size());
  }

  @Test
  void aLeaderWhoseLogIsFoundWrongStops() {
    submit(1, new FsOp.MakeDir(FsState.ROOT, Name.of("a"), 0755, 0, 0));
    turn();
    Hash other = new Hash(1, 2, 3, 4);
    leader.received(
        SESSION,
        new WorkerApplied(1, Hash.ZERO, true, 0, new ApplyError(2, Errno.EIO, "mismatch", other)));
    assertEquals(List.of(2L), audits);
    leader.audited(new AuditFinding.Right(2, Hash.ZERO));
    AuditFinding wrong = new AuditFinding.Wrong(2, 2, "mismatch");
    WrongRootException stops = assertThrows(WrongRootException.class, () -> leader.audited(wrong));
    assertEquals("log entry 2 is wrong: mismatch", stops.getMessage());
  }

  @Test
  void whatWasTrimmedIsAnsweredAsBefore() {
    submit(1, new FsOp.MakeDir(FsState.ROOT, Name.of("a"), 0755, 0, 0));
    turn();
    long index = log.durableIndex();
    CommitAck first = acks().getFirst();
    submit(2, new FsOp.MakeDir(FsState.ROOT, Name.of("b"), 0755, 0, 0));
    turn();
    assertEquals(index + 1, log.trim(index));
    port.sent.clear();
    submit(1, new FsOp.MakeDir(FsState.ROOT, Name.of("a"), 0755, 0, 0));
    turn();
    assertEquals(index + 1, log.appendedIndex(), "not committed again");
    assertEquals(List.of(first), acks());
    port.sent.clear();
    leader.received(SESSION, new IntentStatusRequest(new IntentId(CLIENT, 1)));
    assertEquals(
        new IntentStatusResponse(first.intent(), Status.COMMITTED, first.committed()),
        port.sent.getLast().message());
  }

  /** For status reports: it follows one entry a second, and is one behind. */
  @Test
  void reportsSayHowFastAWorkerFollows() {
    for (int seqNo = 1; seqNo <= 3; seqNo++) {
      submit(seqNo, new FsOp.MakeDir(FsState.ROOT, Name.of("a" + seqNo), 0755, 0, 0));
    }
    turn();
    long durable = log.durableIndex();
    for (long back = 3; back >= 1; back--) {
      leader.received(SESSION, new WorkerApplied(durable - back, Hash.ZERO, false, 0, null));
      clock.advance(1_000_000_000);
    }
    assertEquals(
        new Progress(1, 1.0, 1_000L), leader.sessions().get(SESSION).catchUp(log.durableIndex()));
  }

  @Test
  void anErrorWithoutARootIsNoClaim() {
    leader.received(
        SESSION, new WorkerApplied(0, Hash.ZERO, true, 0, new ApplyError(1, Errno.EIO, "disk")));
    assertEquals(List.of(), audits);
  }

  @Test
  void whoIsSilentIsListedWithTheReason() {
    for (int i = 0; i < 200 && leader.disconnected().newestFirst().isEmpty(); i++) {
      clock.advance(100_000_000); // silence is counted in heartbeats
      turn();
    }
    assertEquals(
        "the leader ended the connection: nothing was heard from it",
        leader.disconnected().newestFirst().getFirst().reason());
  }

  private void turn() {
    leader.doWork();
    log.sync();
    leader.doWork();
  }

  private void submit(long seqNo, FsOp op) {
    IntentId id = new IntentId(CLIENT, seqNo);
    leader.received(SESSION, new SubmitIntent(id, "", OpCodec.encode(op), new byte[0], List.of()));
  }

  private List<CommitAck> acks() {
    return port.sent.stream()
        .map(RecordingSessionPort.Sent::message)
        .filter(CommitAck.class::isInstance)
        .map(CommitAck.class::cast)
        .toList();
  }

  private List<Errno> errors() {
    return acks().stream().map(LeaderMessage.CommitAck::errno).toList();
  }
}
