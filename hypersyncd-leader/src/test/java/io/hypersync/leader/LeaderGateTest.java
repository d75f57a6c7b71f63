package io.hypersync.leader;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.fixtures.ManualClock;
import io.hypersync.leader.leadership.LeaderGate;
import io.hypersync.leader.port.SessionPort;
import io.hypersync.leader.session.Hellos;
import io.hypersync.leader.session.RecordingSessionPort;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.OpCodec;
import io.hypersync.model.state.FsState;
import io.hypersync.wire.message.WorkerMessage.BarrierRequest;
import io.hypersync.wire.message.WorkerMessage.SubmitIntent;
import io.hypersync.wire.transport.SessionId;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The table of what an agent does as the leader, and by which gate: a way into the agent, or out of
 * it, that is not in the table fails here. Admin commands are in {@code AdminSurfaceTest}.
 */
class LeaderGateTest {
  /** How a method of the agent is kept from acting. */
  private enum Kept {
    /** It asks the gate first. */
    GATE,
    /** It only keeps what it is told; what follows of that is done by {@code doWork}, or sent. */
    KEEPS,
    /** It answers a question, or is a part that its owner uses behind a gate of its own. */
    ANSWERS
  }

  private static final Map<String, Kept> METHODS = new TreeMap<>();

  static {
    for (String gated : List.of("sessionOpened", "received", "doWork", "restoreState")) {
      METHODS.put(gated, Kept.GATE);
    }
    for (String keeps :
        List.of(
            "tune",
            "sessionClosed",
            "freeBytes",
            "reservations",
            "enforceReservations",
            "tellHazards",
            "actBehind",
            "lineage",
            "beginVisibility",
            "waitFor",
            "chunkStored",
            "chunkUnreadable",
            "pageUnreadable",
            "chunkMissing",
            "copyRefused",
            "chunkRefused",
            "audited",
            "logRead",
            "logTrimmed",
            "writable",
            "persistIntents", // of entries that are durable already
            "intentsWritten",
            "revoked", // it sends through the gated port
            "beginRestore",
            "endRestore",
            "tune",
            "revoked")) { // asked behind the gate of admin commands; what it sends has a gate, too
      METHODS.put(keeps, Kept.KEEPS);
    }
    for (String answers :
        List.of(
            "fanout",
            "recovery",
            "trimmableThrough",
            "epoch",
            "term",
            "tuning",
            "sessions",
            "disconnected",
            "presence",
            "notices",
            "certificates",
            "scheduler",
            "sequencer",
            "visibility",
            "standbys",
            "intentHandler",
            "violations",
            "locks",
            "leases",
            "divergences",
            "snapshots",
            "collections",
            "certificates", // admin commands revoke behind the gate of all that change something
            "tuning",
            "pasts",
            "restores",
            "reaper")) {
      METHODS.put(answers, Kept.ANSWERS);
    }
  }

  private static final WorkspaceId WORKSPACE = new WorkspaceId(1, 1);
  private static final WorkerId WORKER = new WorkerId("w1");
  private static final SessionId SESSION = new SessionId(1);

  private final Gate gate = new Gate();
  private final MemoryOpLog log = new MemoryOpLog();
  private final RecordingSessionPort port = new RecordingSessionPort();
  private final ManualClock clock = new ManualClock();
  private final LeaderAgent leader =
      new LeaderParts(WORKSPACE).log(log).port(port).clock(clock).agent();

  private static final class Gate implements LeaderGate {
    private boolean isOpen = true;

    @Override
    public boolean isLeader() {
      return isOpen;
    }

    @Override
    public void onLost(Consumer<String> then) {
      // not used by the agent
    }
  }

  @BeforeEach
  void join() {
    leader.actBehind(gate);
    turn();
    leader.sessionOpened(SESSION, WORKER, "here");
    leader.received(SESSION, Hellos.ofNew(WORKSPACE, WORKER, new ClientId(7, 7)));
    turn();
    port.sent.clear();
  }

  private void turn() {
    leader.doWork();
    log.sync();
    leader.doWork();
  }

  private void submit(int seqNo) {
    leader.received(
        SESSION,
        new SubmitIntent(
            new IntentId(new ClientId(1, 42), seqNo),
            "",
            OpCodec.encode(new FsOp.MakeDir(FsState.ROOT, Name.of("a" + seqNo), 0755, 0, 0)),
            new byte[0],
            List.of()));
  }

  @Test
  void everyWayIntoTheAgentIsInTheTable() {
    Set<String> found =
        Arrays.stream(LeaderAgent.class.getDeclaredMethods())
            .filter(method -> Modifier.isPublic(method.getModifiers()) && !method.isSynthetic())
            .map(Method::getName)
            .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(METHODS.keySet(), found);
  }

  /** What goes to workers goes through this port only, and {@code GatedSessionPort} has each. */
  @Test
  void everyWayOutToWorkersIsInTheTable() {
    assertEquals(
        Set.of(
            "send", "flush", "logWritable", "bulkWritable", "maxSymbolBytes", "measure", "close"),
        Arrays.stream(SessionPort.class.getDeclaredMethods())
            .map(Method::getName)
            .collect(Collectors.toSet()));
  }

  @Test
  void whoLeadsLogsAndAnswers() {
    long before = leader.sequencer().headIndex();
    submit(1);
    turn();
    assertEquals(before + 1, leader.sequencer().headIndex());
    assertFalse(port.sent.isEmpty());
  }

  @Test
  void noIntentIsTaken() {
    long before = leader.sequencer().headIndex();
    gate.isOpen = false;
    submit(1);
    gate.isOpen = true;
    turn();
    assertEquals(before, leader.sequencer().headIndex());
  }

  @Test
  void whatWasTakenBeforeIsNeitherLoggedNorAcknowledged() {
    long before = leader.sequencer().headIndex();
    submit(1);
    gate.isOpen = false;
    turn();
    assertEquals(before, leader.sequencer().headIndex());
    assertEquals(List.of(), port.sent);
  }

  @Test
  void whatWasLoggedBeforeIsNotAcknowledged() {
    submit(1);
    leader.doWork();
    port.sent.clear();
    gate.isOpen = false;
    turn();
    assertEquals(List.of(), port.sent);
  }

  @Test
  void noHeartbeatIsSent() {
    gate.isOpen = false;
    for (int i = 0; i < 100; i++) {
      clock.advance(100_000_000L);
      turn();
    }
    assertEquals(List.of(), port.sent);
  }

  @Test
  void noQuestionIsAnswered() {
    gate.isOpen = false;
    leader.received(SESSION, new BarrierRequest(1));
    turn();
    assertEquals(List.of(), port.sent);
  }

  @Test
  void noConnectionIsTaken() {
    gate.isOpen = false;
    leader.sessionOpened(new SessionId(2), new WorkerId("w2"), "there");
    assertTrue(port.closed.contains(new SessionId(2)));
  }

  @Test
  void whatHelpersReportIsNotSent() {
    gate.isOpen = false;
    leader.logRead(SESSION, 1, List.of(new byte[] {1}));
    assertEquals(List.of(), port.sent);
  }
}
