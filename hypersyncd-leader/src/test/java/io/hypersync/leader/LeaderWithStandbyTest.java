package io.hypersync.leader;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.fixtures.ManualClock;
import io.hypersync.leader.session.RecordingSessionPort;
import io.hypersync.leader.syncstandby.Degrade;
import io.hypersync.leader.syncstandby.SyncRecord;
import io.hypersync.leader.syncstandby.SyncRecord.Standing;
import io.hypersync.leader.syncstandby.SyncStandbyOptions;
import io.hypersync.leader.syncstandby.SyncStandbys;
import io.hypersync.leader.syncstandby.SyncedLog;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.log.LogEntryCodec;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.OpCodec;
import io.hypersync.model.state.FsState;
import io.hypersync.wire.message.Feature;
import io.hypersync.wire.message.Features;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.LocalPressure;
import io.hypersync.wire.message.Protocol;
import io.hypersync.wire.message.SeenState;
import io.hypersync.wire.message.StandbyStanding;
import io.hypersync.wire.message.WorkerMessage.Hello;
import io.hypersync.wire.message.WorkerMessage.SubmitIntent;
import io.hypersync.wire.message.WorkerMessage.WorkerApplied;
import io.hypersync.wire.transport.SessionId;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Whom a leader tells what, when a standby is waited for (hypersync.md 19). */
final class LeaderWithStandbyTest {
  private static final WorkspaceId WORKSPACE = new WorkspaceId(1, 1);
  private static final WorkerId SPARE = new WorkerId("spare");
  private static final SessionId STANDBY = new SessionId(1);
  private static final SessionId WRITER = new SessionId(2);
  private static final SessionId READER = new SessionId(3);

  private final MemoryOpLog own = new MemoryOpLog();
  private final RecordingSessionPort port = new RecordingSessionPort();
  private final ManualClock clock = new ManualClock(1);
  private LeaderAgent leader;

  private void begin(SyncRecord record) {
    SyncStandbys standbys =
        new SyncStandbys(
            new SyncStandbyOptions(List.of(SPARE), Degrade.BLOCK, 1_000_000_000),
            record,
            0,
            own::durableIndex,
            _ -> true,
            clock);
    leader =
        new LeaderParts(WORKSPACE)
            .log(new SyncedLog(own, standbys))
            .port(port)
            .clock(clock)
            .agent();
    leader.waitFor(standbys);
    turn();
  }

  /** The log is synced, and the agent has done all that follows. */
  private void turn() {
    leader.doWork();
    own.sync();
    leader.doWork();
    clock.advance(200_000_000); // a heartbeat is due
    leader.doWork();
  }

  private void join(SessionId session, WorkerId worker, Features features) {
    leader.sessionOpened(session, worker, "somewhere");
    leader.received(
        session,
        new Hello(
            Protocol.VERSION,
            WORKSPACE,
            worker,
            OptionalLong.empty(),
            0,
            FsState.genesis().root(),
            new ClientId(7, session.value()),
            Protocol.REVISION,
            features,
            "",
            SeenState.NONE,
            0));
    turn();
  }

  private void joinAll() {
    join(STANDBY, SPARE, Features.SUPPORTED.with(Feature.SYNC_STANDBY));
    join(WRITER, new WorkerId("writer"), Features.SUPPORTED);
    join(READER, new WorkerId("reader"), Features.SUPPORTED);
  }

  private void write(String name) {
    leader.received(
        WRITER,
        new SubmitIntent(
            new IntentId(new ClientId(1, 42), name.length()),
            "",
            OpCodec.encode(new FsOp.MakeDir(FsState.ROOT, Name.of(name), 0755, 0, 0)),
            new byte[0],
            List.of()));
    turn();
  }

  private void has(long index) {
    leader.received(
        STANDBY,
        new WorkerApplied(index, Hash.ZERO, true, 0, null, LocalPressure.NOT_KNOWN, index));
    leader.doWork();
  }

  private List<Long> entries(SessionId session) throws DecodeException {
    List<Long> all = new ArrayList<>();
    for (RecordingSessionPort.Sent each : port.sent) {
      if (each.session().equals(session)
          && each.message() instanceof LeaderMessage.LogEntries(_, var entries, _)) {
        for (byte[] entry : entries) {
          all.add(LogEntryCodec.decodeSent(entry).index());
        }
      }
    }
    return all;
  }

  private <T extends LeaderMessage> List<T> sent(SessionId session, Class<T> kind) {
    return port.sent.stream()
        .filter(each -> each.session().equals(session))
        .map(RecordingSessionPort.Sent::message)
        .filter(kind::isInstance)
        .map(kind::cast)
        .toList();
  }

  private long told(SessionId session) {
    return sent(session, LeaderMessage.Heartbeat.class).getLast().commitIndex();
  }

  @Test
  void anAckWaitsForTheStandbyWhichGetsTheEntryBefore() throws Exception {
    begin(SyncRecord.NONE);
    joinAll();
    write("d");
    long head = own.durableIndex();
    assertEquals(head, entries(STANDBY).getLast());
    assertEquals(head, told(STANDBY), "it may keep what is durable here");
    assertEquals(0, sent(WRITER, LeaderMessage.CommitAck.class).size());
    assertFalse(entries(READER).contains(head), "nobody shows it");
    assertTrue(told(WRITER) < head && told(READER) < head);
    has(head);
    assertEquals(
        head, sent(WRITER, LeaderMessage.CommitAck.class).getLast().asOfIndex(), "acknowledged");
    assertTrue(entries(READER).contains(head));
    turn();
    assertEquals(head, told(READER));
  }

  @Test
  void withoutTheStandbyNothingIsAcknowledged() {
    begin(SyncRecord.NONE);
    joinAll();
    write("d");
    has(own.durableIndex());
    int before = sent(WRITER, LeaderMessage.CommitAck.class).size();
    leader.sessionClosed(STANDBY, "the cable was pulled");
    write("ee");
    for (int turns = 0; turns < 100; turns++) {
      turn();
    }
    assertEquals(before, sent(WRITER, LeaderMessage.CommitAck.class).size());
    assertTrue(leader.standbys().waiting() > 0);
  }

  @Test
  void oneThatLiesIsHungUpAndNothingIsAcknowledged() {
    begin(SyncRecord.NONE);
    joinAll();
    write("d");
    has(own.durableIndex() + 1);
    assertTrue(port.closed.contains(STANDBY));
    assertEquals(0, sent(WRITER, LeaderMessage.CommitAck.class).size());
  }

  /** A worker with the certificate of the standby shows what it gets. */
  @Test
  void aWorkerOfThatNameGetsWhatOthersGet() throws Exception {
    begin(SyncRecord.NONE);
    join(STANDBY, SPARE, Features.SUPPORTED);
    join(WRITER, new WorkerId("writer"), Features.SUPPORTED);
    write("d");
    assertFalse(entries(STANDBY).contains(own.durableIndex()));
    has(own.durableIndex());
    assertEquals(0, sent(WRITER, LeaderMessage.CommitAck.class).size());
  }

  @Test
  void itIsToldHowItStands() {
    begin(SyncRecord.NONE);
    joinAll();
    write("d");
    has(own.durableIndex());
    turn();
    assertEquals(
        new StandbyStanding(StandbyStanding.Mark.SYNCHRONOUS, StandbyStanding.NEVER),
        sent(STANDBY, LeaderMessage.Heartbeat.class).getLast().standing());
    assertNull(sent(READER, LeaderMessage.Heartbeat.class).getLast().standing());
  }

  @Test
  void afterAStartWorkersAreWelcomeWhenTheStandbyHasWhatWasRecovered() {
    begin(SyncRecord.NONE.with(new Standing(SPARE, true, Degrade.BLOCK, 0, 0)));
    join(READER, new WorkerId("reader"), Features.SUPPORTED);
    assertTrue(port.closed.contains(READER));
    assertEquals(0, sent(READER, LeaderMessage.Welcome.class).size());
    join(STANDBY, SPARE, Features.SUPPORTED.with(Feature.SYNC_STANDBY));
    assertEquals(1, sent(STANDBY, LeaderMessage.Welcome.class).size());
    has(0);
    join(WRITER, new WorkerId("writer"), Features.SUPPORTED);
    assertEquals(1, sent(WRITER, LeaderMessage.Welcome.class).size());
  }
}
