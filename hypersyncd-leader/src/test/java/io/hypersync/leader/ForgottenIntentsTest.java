package io.hypersync.leader;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.chunkstore.database.InMemoryDatabase;
import io.hypersync.leader.sequencer.IntentBatch;
import io.hypersync.leader.sequencer.IntentIndex;
import io.hypersync.leader.sequencer.IntentRetention;
import io.hypersync.leader.sequencer.IntentStore;
import io.hypersync.leader.session.RecordingSessionPort;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.OpCodec;
import io.hypersync.model.state.FsState;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.LeaderMessage.CommitAck;
import io.hypersync.wire.message.LeaderMessage.IntentStatusResponse;
import io.hypersync.wire.message.LeaderMessage.IntentStatusResponse.Status;
import io.hypersync.wire.message.WorkerMessage.Hello;
import io.hypersync.wire.message.WorkerMessage.IntentStatusRequest;
import io.hypersync.wire.message.WorkerMessage.SubmitIntent;
import io.hypersync.wire.message.WorkerMessage.WorkerApplied;
import io.hypersync.wire.transport.SessionId;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An intent that the leader has forgotten is not committed twice. */
class ForgottenIntentsTest {
  private static final WorkspaceId WORKSPACE = new WorkspaceId(1, 1);
  private static final WorkerId SLOW = new WorkerId("slow");
  private static final WorkerId BUSY = new WorkerId("busy");
  private static final ClientId SLOW_RUN = new ClientId(7, 7);
  private static final IntentId OLD = new IntentId(new ClientId(1, 42), 1);
  private static final FsOp CHMOD =
      new FsOp.SetAttributes(FsState.ROOT, FsOp.SetAttributes.MODE, 0700, 0, 0, 0);
  private static final int MANY = 3_000;

  /** So few that most of {@link #MANY} are forgotten. */
  private static final IntentRetention SHORT = new IntentRetention(500, 0);

  private final MemoryOpLog log = new MemoryOpLog();
  private final RecordingSessionPort port = new RecordingSessionPort();
  private final IntentStore store = new IntentStore(new InMemoryDatabase(), SHORT);
  private final IntentIndex index = new IntentIndex(store, 100);
  private long sessions;
  private final LeaderAgent leader =
      new LeaderParts(WORKSPACE)
          .recovered(LeaderParts.genesis(index))
          .log(log)
          .intentWriter(this::write)
          .port(port)
          .agent();
  private SessionId slow = new SessionId(0);

  /** The slow worker has sent an intent, which was committed, but has received no ack. */
  @BeforeEach
  void commitAndForget() {
    turn();
    slow = hello(SLOW, SLOW_RUN, OptionalLong.empty());
    submit(slow, OLD);
    SessionId busy = hello(BUSY, new ClientId(8, 8), OptionalLong.empty());
    for (int i = 1; i <= MANY; i++) {
      submit(busy, new IntentId(new ClientId(2, i), 1));
    }
    assertNull(index.place(OLD), "forgotten");
    assertTrue(index.forgottenThrough() > 1);
    leader.sessionClosed(slow, "gone");
    slow = hello(SLOW, SLOW_RUN, OptionalLong.of(leader.epoch()));
  }

  @Test
  void whoMayHaveSentItIsToldNothingBeforeItKnows() {
    leader.received(slow, new IntentStatusRequest(OLD));
    turn();
    assertNull(last(IntentStatusResponse.class), "NOT_FOUND would have it sent again");
    long head = leader.sequencer().headIndex();
    submit(slow, OLD);
    assertEquals(head, leader.sequencer().headIndex(), "not committed once more");
    assertEquals(Errno.EAGAIN, lastAck().errno());

    report(index.forgottenThrough() - 1);
    assertNotNull(leader.sessions().of(SLOW), "it does not know yet");
    report(head);
    assertNull(leader.sessions().of(SLOW), "it is to ask anew");
    slow = hello(SLOW, SLOW_RUN, OptionalLong.of(leader.epoch()));
    IntentId lost = new IntentId(new ClientId(1, 43), 1);
    leader.received(slow, new IntentStatusRequest(lost));
    IntentStatusResponse answer = (IntentStatusResponse) last(IntentStatusResponse.class);
    assertNotNull(answer);
    assertEquals(Status.NOT_FOUND, answer.status(), "of another one that never came");
    submit(slow, lost);
    assertEquals(head + 1, leader.sequencer().headIndex());
  }

  /** A promoted standby has no log of what came before the snapshot that it began with. */
  @Test
  void aLeaderWhoseLogBeginsLaterDoesNotTakeForUnknownWhatCameBefore() {
    IntentStore promoted = new IntentStore(new InMemoryDatabase(), SHORT);
    promoted.beginForgotten(40);
    assertEquals(40, promoted.through());
    assertEquals(40, new IntentIndex(promoted, 100).forgottenThrough());
    LeaderAgent next =
        new LeaderParts(WORKSPACE)
            .recovered(LeaderParts.genesis(new IntentIndex(promoted, 100)))
            .log(new MemoryOpLog())
            .intentWriter(promoted::write)
            .port(port)
            .agent();
    SessionId session = new SessionId(99);
    next.sessionOpened(session, SLOW, "here");
    next.received(
        session,
        new Hello(
            WORKSPACE,
            SLOW,
            OptionalLong.of(leader.epoch()),
            0,
            FsState.genesis().root(),
            SLOW_RUN));
    next.doWork();
    assertNotNull(next.sessions().of(SLOW));
    port.sent.clear();
    next.received(session, new IntentStatusRequest(OLD));
    next.doWork();
    assertNull(last(IntentStatusResponse.class), "NOT_FOUND would have it sent again");

    IntentStore fromBackup = new IntentStore(new InMemoryDatabase(), SHORT);
    fromBackup.beginBehind(40);
    assertEquals(0, fromBackup.forgottenThrough(), "no worker of that workspace has sent any");
  }

  @Test
  void aRunThatIsNewHasNothingToAsk() {
    slow = hello(SLOW, new ClientId(7, 8), OptionalLong.empty());
    long head = leader.sequencer().headIndex();
    submit(slow, new IntentId(new ClientId(1, 44), 1));
    assertEquals(head + 1, leader.sequencer().headIndex());
  }

  @Test
  void whoFollowsNoticesNothing() {
    SessionId busy = session(BUSY);
    long head = leader.sequencer().headIndex();
    leader.received(busy, new WorkerApplied(head, Hash.ZERO, false, 0, null));
    leader.sessionClosed(busy, "gone");
    SessionId again = hello(BUSY, new ClientId(8, 8), OptionalLong.of(leader.epoch()));
    submit(again, new IntentId(new ClientId(2, MANY + 1), 1));
    assertEquals(head + 1, leader.sequencer().headIndex());
  }

  private void write(IntentBatch batch) {
    store.write(batch);
    leader.intentsWritten(batch);
  }

  private SessionId session(WorkerId worker) {
    return Objects.requireNonNull(leader.sessions().of(worker)).id();
  }

  private void report(long visible) {
    leader.received(slow, new WorkerApplied(visible, Hash.ZERO, false, 0, null));
  }

  private SessionId hello(WorkerId worker, ClientId run, OptionalLong epochSeen) {
    if (leader.sessions().of(worker) != null) {
      leader.sessionClosed(session(worker), "gone");
    }
    sessions++;
    SessionId session = new SessionId(sessions);
    leader.sessionOpened(session, worker, "here");
    leader.received(
        session, new Hello(WORKSPACE, worker, epochSeen, 0, FsState.genesis().root(), run));
    turn();
    port.sent.clear();
    return session;
  }

  private void submit(SessionId session, IntentId id) {
    port.sent.clear();
    leader.received(
        session, new SubmitIntent(id, "", OpCodec.encode(CHMOD), new byte[0], List.of()));
    turn();
  }

  private void turn() {
    leader.doWork();
    log.sync();
    leader.doWork();
  }

  private CommitAck lastAck() {
    LeaderMessage ack = last(CommitAck.class);
    assertNotNull(ack);
    return (CommitAck) ack;
  }

  private @Nullable LeaderMessage last(Class<? extends LeaderMessage> kind) {
    return port.sent.reversed().stream()
        .map(RecordingSessionPort.Sent::message)
        .filter(kind::isInstance)
        .findFirst()
        .orElse(null);
  }
}
