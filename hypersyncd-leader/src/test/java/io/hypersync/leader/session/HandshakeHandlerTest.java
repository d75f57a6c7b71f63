package io.hypersync.leader.session;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.fixtures.Entries;
import io.hypersync.leader.LeaderConfig;
import io.hypersync.leader.MemoryOpLog;
import io.hypersync.leader.lineage.DeposedException;
import io.hypersync.leader.lineage.Deposition;
import io.hypersync.leader.lineage.Lineage;
import io.hypersync.leader.lineage.OldStateException;
import io.hypersync.leader.lineage.Term;
import io.hypersync.leader.lock.LockManager;
import io.hypersync.leader.notice.Notices;
import io.hypersync.leader.oplog.OpLogFullException;
import io.hypersync.leader.presence.Presence;
import io.hypersync.leader.presence.PresenceEvent;
import io.hypersync.leader.presence.ResumeKey;
import io.hypersync.leader.quota.QuotaViolations;
import io.hypersync.leader.quota.WorkerQuotas;
import io.hypersync.leader.sequencer.Genesis;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.log.LogEntryCodec;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.state.FsState;
import io.hypersync.model.trie.PageWriter;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.snapshot.schedule.SnapshotManager;
import io.hypersync.snapshot.schedule.SnapshotPolicy;
import io.hypersync.snapshot.schedule.SnapshotPort;
import io.hypersync.wire.message.Feature;
import io.hypersync.wire.message.Features;
import io.hypersync.wire.message.LeaderMessage.Refused;
import io.hypersync.wire.message.LeaderMessage.Refused.Reason;
import io.hypersync.wire.message.LeaderMessage.SnapshotOffer;
import io.hypersync.wire.message.LeaderMessage.Welcome;
import io.hypersync.wire.message.NegotiatedParams;
import io.hypersync.wire.message.Protocol;
import io.hypersync.wire.message.SeenState;
import io.hypersync.wire.message.WorkerMessage.Hello;
import io.hypersync.wire.message.WorkerMessage.SubmitIntent;
import io.hypersync.wire.transport.SessionId;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which workers are admitted (hypersync.md 9.5, 6.4). */
class HandshakeHandlerTest {
  private static final WorkspaceId WORKSPACE = new WorkspaceId(1, 1);
  private static final WorkerId W = new WorkerId("w1");
  private static final ClientId RUN = new ClientId(3, 3);
  private static final Hash GENESIS = FsState.genesis().root();
  private static final Hash ROOT_1 = new Hash(1, 1, 1, 1);
  private static final long SECOND_NS = 1_000_000_000L;
  private static final Features KEPT = Features.of(Feature.KEPT_PAYLOADS);
  private static final byte[] NOTHING = {};

  private final List<Snapshot> known = new ArrayList<>();
  private final RecordingSessionPort port = new RecordingSessionPort();
  private final MemoryOpLog log = new MemoryOpLog();
  private final WorkerSessions sessions =
      new WorkerSessions(port, (_, _, _) -> {}, new TailCache(2, 100), 10);
  private final LockManager locks =
      new LockManager(
          SECOND_NS,
          SECOND_NS,
          () -> 88,
          log::durableIndex,
          log::durableIndex,
          (_, _) -> {},
          _ -> true,
          _ -> true,
          _ -> {},
          WorkerQuotas.ofHeap(1L << 30),
          new QuotaViolations(Clock.SYSTEM),
          0);
  private final Presence presence =
      new Presence(
          WORKSPACE, 90 * SECOND_NS, ResumeKey.generate(), Clock.SYSTEM, new Random(1)::nextLong);
  private final Notices notices =
      new Notices(
          Clock.SYSTEM,
          (worker, message) ->
              port.send(Objects.requireNonNull(sessions.of(worker)).id(), message));
  private final HandshakeHandler handshakeHandler =
      new HandshakeHandler(
          LeaderConfig.of(WORKSPACE),
          77,
          log,
          snapshots(),
          sessions,
          port,
          locks,
          () -> 0,
          presence,
          notices);

  @BeforeEach
  void oneEntryIsDurableAndOneIsNot() throws OpLogFullException {
    append(1, ROOT_1);
    log.sync();
    append(2, new Hash(2, 2, 2, 2));
  }

  @Test
  void aNewWorkerIsWelcome() {
    openWith(1, hello(0, GENESIS), 0);
    Welcome welcome = assertInstanceOf(Welcome.class, lastSent());
    assertEquals(
        new Welcome(
            WORKSPACE,
            77,
            1,
            100,
            NegotiatedParams.DEFAULT,
            88,
            15_000,
            Protocol.REVISION,
            0,
            welcome.grant()),
        welcome);
    assertEquals(90_000, welcome.grant().leaseMs());
  }

  @Test
  void aWorkerThatKnowsAPrefixIsWelcome() {
    openWith(1, hello(1, ROOT_1), 0);
    assertInstanceOf(Welcome.class, lastSent());
  }

  @Test
  void aWorkerThatDoesNotBelongHereIsRefused() {
    assertRefused(
        Reason.PROTOCOL_VERSION,
        new Hello(
            "hypersync/2",
            WORKSPACE,
            W,
            none(),
            0,
            GENESIS,
            RUN,
            Protocol.REVISION,
            Features.NONE,
            ""));
    assertRefused(Reason.WORKSPACE, Hellos.ofNew(new WorkspaceId(2, 2), W, RUN));
    assertRefused(Reason.IDENTITY, Hellos.ofNew(WORKSPACE, new WorkerId("w2"), RUN));
    assertRefused(Reason.DIVERGED, hello(0, ROOT_1));
    assertRefused(Reason.DIVERGED, hello(1, GENESIS));
    assertRefused(Reason.DIVERGED, hello(2, new Hash(2, 2, 2, 2)));
  }

  @Test
  void aWorkerThatNeedsWhatWasTrimmedIsToldSo() {
    assertEquals(2, log.sync().trim(1));
    assertRefused(Reason.PROTOCOL_ERROR, hello(0, GENESIS));
    assertEquals(
        "for this worker entry 1 is needed, and the leader's log begins at entry 2: entries before"
            + " were removed",
        ((Refused) lastSent()).message());
    assertRefused(Reason.PROTOCOL_ERROR, hello(1, ROOT_1));
    openWith(1, hello(2, new Hash(2, 2, 2, 2)), 0);
    assertInstanceOf(Welcome.class, lastSent());
  }

  /** The worker began with a snapshot that the leader has, too, and the log begins behind it. */
  @Test
  void theRootOfAnEntryThatWasTrimmedIsThatOfItsSnapshot() throws OpLogFullException {
    known.add(new Snapshot(1, 0, 0, 0, false, "", manifest(1)));
    HandshakeHandler knowing =
        new HandshakeHandler(
            LeaderConfig.of(WORKSPACE),
            77,
            log,
            snapshots(),
            sessions,
            port,
            locks,
            () -> 0,
            presence,
            notices);
    assertEquals(2, log.sync().trim(1));

    sessions.opened(new SessionId(1), W, "a", 0);
    knowing.hello(session(1), hello(1, ROOT_1), 0);
    assertEquals(Reason.DIVERGED, ((Refused) lastSent()).reason());
    sessions.opened(new SessionId(2), W, "a", 0);
    knowing.hello(session(2), hello(1, GENESIS), 0);
    assertInstanceOf(Welcome.class, lastSent());

    append(3, ROOT_1);
    assertEquals(3, log.sync().trim(2));
    sessions.opened(new SessionId(3), W, "a", 0);
    knowing.hello(session(3), hello(1, GENESIS), 5 * SECOND_NS);
    assertEquals(
        "for this worker entry 2 is needed, and the leader's log begins at entry 3: entries before"
            + " were removed",
        ((Refused) lastSent()).message());
  }

  @Test
  void aWorkerThatNeedsWhatWasTrimmedGetsTheSnapshotAndNoEntries() throws OpLogFullException {
    byte[] manifest = manifest(2);
    known.add(new Snapshot(2, 0, 0, 0, false, "", manifest));
    SnapshotManager manager = snapshots();
    HandshakeHandler offering =
        new HandshakeHandler(
            LeaderConfig.of(WORKSPACE),
            77,
            log,
            manager,
            sessions,
            port,
            locks,
            () -> 0,
            presence,
            notices);
    append(3, ROOT_1);
    assertEquals(3, log.sync().trim(2));

    sessions.opened(new SessionId(1), W, "a", 0);
    offering.hello(session(1), hello(0, GENESIS), 0);
    SnapshotOffer offer = assertInstanceOf(SnapshotOffer.class, lastSent());
    assertEquals(2, offer.index());
    assertEquals(GENESIS, offer.root());
    assertArrayEquals(manifest, offer.manifest());
    assertInstanceOf(Welcome.class, port.sent.get(port.sent.size() - 2).message());
    assertEquals(2, manager.lowestHeld(0));
    sessions.stream(3);
    assertInstanceOf(SnapshotOffer.class, lastSent(), "no entries");

    sessions.opened(new SessionId(2), W, "a", 0);
    offering.hello(session(2), hello(2, GENESIS), 5 * SECOND_NS);
    assertInstanceOf(Welcome.class, lastSent());
    assertEquals(2, manager.lowestHeld(0), "it has still to get entry 3");
    offering.holds().reported(W, 3);
    assertEquals(Long.MAX_VALUE, manager.lowestHeld(0));
  }

  /** It is let in all the same, and applies entries up to that one without their chunks. */
  @Test
  void aWorkerIsToldWhatMayHaveBeenCollected() {
    HandshakeHandler collecting =
        new HandshakeHandler(
            LeaderConfig.of(WORKSPACE),
            77,
            log,
            snapshots(),
            sessions,
            port,
            locks,
            () -> 1,
            presence,
            notices);
    sessions.opened(new SessionId(1), W, "a", 0);
    collecting.hello(session(1), hello(0, GENESIS), 0);
    assertEquals(1, assertInstanceOf(Welcome.class, lastSent()).collectedThrough());
  }

  /** Nothing here knows what the state after entry 1 was, so it may be another history. */
  @Test
  void aWorkerWhoseRootNobodyKnowsGetsTheSnapshot() {
    known.add(new Snapshot(2, 0, 0, 0, false, "", manifest(2)));
    HandshakeHandler offering =
        new HandshakeHandler(
            LeaderConfig.of(WORKSPACE),
            77,
            log,
            snapshots(),
            sessions,
            port,
            locks,
            () -> 0,
            presence,
            notices);
    assertEquals(2, log.sync().trim(1));
    sessions.opened(new SessionId(1), W, "a", 0);
    offering.hello(session(1), hello(1, GENESIS), 0);
    assertInstanceOf(SnapshotOffer.class, lastSent());
  }

  @Test
  void anInstallThatTakesTooLongHoldsNothingAnyMore() {
    known.add(new Snapshot(2, 0, 0, 0, false, "", manifest(2)));
    SnapshotManager manager = snapshots();
    HandshakeHandler offering =
        new HandshakeHandler(
            LeaderConfig.of(WORKSPACE),
            77,
            log,
            manager,
            sessions,
            port,
            locks,
            () -> 0,
            presence,
            notices);
    assertEquals(2, log.sync().trim(1));
    sessions.opened(new SessionId(1), W, "a", 0);
    offering.hello(session(1), hello(1, GENESIS), 0);
    assertEquals(W.name(), offering.holds().workers(manager.lowestHeld(0)));
    assertEquals("", offering.holds().workers(Long.MAX_VALUE));
    assertEquals(List.of(), offering.holds().expire(3_600 * SECOND_NS - 1));
    assertEquals(2, manager.lowestHeld(0));
    assertEquals(List.of(W), offering.holds().expire(3_600 * SECOND_NS));
    assertEquals(Long.MAX_VALUE, manager.lowestHeld(0));
  }

  private static byte[] manifest(long index) {
    FsState state = FsState.genesis();
    PageWriter pages = PageWriter.complete(state.version(), Blake3::hash);
    return new Manifest(WORKSPACE, index, 1, 1, state).write(pages).bytes();
  }

  private SnapshotManager snapshots() {
    return new SnapshotManager(SnapshotPort.NONE, SnapshotPolicy.DEFAULT, WORKSPACE, known, 0, 0);
  }

  @Test
  void ofAnotherRevisionTheOlderSideIsNamed() {
    assertRefused(Reason.PROTOCOL_VERSION, helloOf(1, Features.NONE));
    assertTrue(((Refused) lastSent()).message().startsWith("the worker is older"));
    assertRefused(Reason.PROTOCOL_VERSION, helloOf(Protocol.REVISION + 1, Features.NONE));
    assertTrue(((Refused) lastSent()).message().startsWith("the worker is newer"));
  }

  @Test
  void whatOnlyOneSideCanDoIsNotUsed() {
    NegotiatedParams offered =
        new NegotiatedParams(Features.of(Feature.RAPTORQ, Feature.COMPRESSION), 4_096, 100, 0);
    HandshakeHandler able =
        new HandshakeHandler(
            config(offered),
            77,
            log,
            snapshots(),
            sessions,
            port,
            locks,
            () -> 0,
            presence,
            notices);
    sessions.opened(new SessionId(1), W, "here", 0);
    long unknown = 1L << 40;
    able.hello(
        session(1),
        helloOf(Protocol.REVISION, new Features(unknown | Features.of(Feature.RAPTORQ).bits())),
        0);
    Welcome welcome = assertInstanceOf(Welcome.class, lastSent());
    assertEquals(
        new NegotiatedParams(Features.of(Feature.RAPTORQ), 4_096, 100, 0), welcome.params());
  }

  @Test
  void payloadsAreLeftOutOnlyIfBothSidesKnowOfIt() {
    assertTrue(leavesOut(KEPT, KEPT));
    assertFalse(leavesOut(KEPT, Features.NONE), "an older worker gets whole entries");
    assertFalse(leavesOut(Features.NONE, KEPT));
  }

  private boolean leavesOut(Features leader, Features worker) {
    HandshakeHandler able =
        new HandshakeHandler(
            config(NegotiatedParams.DEFAULT.with(leader)),
            77,
            log,
            snapshots(),
            sessions,
            port,
            locks,
            () -> 0,
            presence,
            notices);
    sessions.opened(new SessionId(1), W, "here", 0);
    able.hello(session(1), helloOf(Protocol.REVISION, worker), 0);
    byte[] payload = {1};
    FsOp op = new FsOp.MakeDir(FsState.ROOT, Name.of("d"), 0755, 0, 0);
    LogEntry entry = Entries.of(1, op).inline(payload).entry();
    session(1).submitted(new SubmitIntent(entry.intent(), "", NOTHING, payload, List.of()));
    session(1).sequenced(entry);
    byte[] sent = session(1).sent(1, List.of(LogEntryCodec.encode(entry))).getFirst();
    sessions.closed(new SessionId(1));
    return LogEntryCodec.isWithoutPayload(sent);
  }

  private static LeaderConfig config(NegotiatedParams params) {
    LeaderConfig defaults = LeaderConfig.of(WORKSPACE);
    return new LeaderConfig(
        WORKSPACE,
        defaults.heartbeatNs(),
        defaults.workerTimeoutNs(),
        defaults.partialUploadTtlNs(),
        defaults.windowEntries(),
        defaults.maxPendingIntents(),
        defaults.maxUnsyncedEntries(),
        defaults.rateLimits(),
        defaults.tailCacheBytes(),
        defaults.lockTtlNs(),
        defaults.lockGraceNs(),
        defaults.openLeaseTtlNs(),
        defaults.presenceLeaseNs(),
        defaults.maxStateBytes(),
        defaults.catchUp(),
        defaults.quotas(),
        defaults.dataPlane(),
        defaults.placement(),
        params);
  }

  private static Hello helloOf(int revision, Features features) {
    return new Hello(
        Protocol.VERSION, WORKSPACE, W, none(), 0, GENESIS, RUN, revision, features, "");
  }

  @Test
  void aSecondHelloIsAProtocolError() {
    openWith(1, hello(0, GENESIS), 0);
    handshakeHandler.hello(session(1), hello(0, GENESIS), 0);
    assertEquals(Reason.PROTOCOL_ERROR, ((Refused) lastSent()).reason());
  }

  @Test
  void aSecondConnectionWaitsUntilTheFirstHasBeenSilent() {
    openWith(1, hello(0, GENESIS), 0);
    openWith(2, hello(0, GENESIS), SECOND_NS - 1);
    assertEquals(Reason.DUPLICATE, ((Refused) lastSent()).reason());
    assertFalse(port.closed.contains(new SessionId(1)));
    openWith(3, hello(0, GENESIS), SECOND_NS);
    assertInstanceOf(Welcome.class, lastSent());
    assertTrue(port.closed.contains(new SessionId(1)));
    assertEquals(new SessionId(3), Objects.requireNonNull(sessions.of(W)).id());
  }

  /** As after a cut that the leader has not noticed yet, or when a token is replayed. */
  @Test
  void aTokenTakesASessionUpFromAConnectionThatIsAlive() {
    openWith(1, hello(0, GENESIS), 0);
    String token = assertInstanceOf(Welcome.class, lastSent()).grant().token();
    openWith(2, helloWith(token), 1);
    assertTrue(assertInstanceOf(Welcome.class, lastSent()).grant().resumed());
    assertTrue(port.closed.contains(new SessionId(1)));
    assertEquals(new SessionId(2), Objects.requireNonNull(sessions.of(W)).id());
    assertTrue(
        presence.events().after(0).stream()
            .anyMatch(event -> event.kind() == PresenceEvent.Kind.SESSION_REPLACED));

    // Whoever was replaced has no token any more, and does not take the session back.
    openWith(3, hello(0, GENESIS), 2);
    assertEquals(Reason.DUPLICATE, ((Refused) lastSent()).reason());
  }

  @Test
  void aForgedTokenTakesNothingFromAConnectionThatIsAlive() {
    openWith(1, hello(0, GENESIS), 0);
    String token = assertInstanceOf(Welcome.class, lastSent()).grant().token();
    int dot = token.lastIndexOf('.');
    String forged = token.substring(0, dot + 1) + "A".repeat(token.length() - dot - 1);
    openWith(2, helloWith(forged), 1);
    assertEquals(Reason.DUPLICATE, ((Refused) lastSent()).reason());
    assertFalse(port.closed.contains(new SessionId(1)));
  }

  private static Hello helloWith(String token) {
    return helloWith(token, SeenState.NONE);
  }

  private static Hello helloWith(String token, SeenState seen) {
    return helloWith(token, seen, Features.NONE);
  }

  private static Hello helloWith(String token, SeenState seen, Features features) {
    return new Hello(
        Protocol.VERSION,
        WORKSPACE,
        W,
        none(),
        0,
        GENESIS,
        RUN,
        Protocol.REVISION,
        features,
        token,
        seen,
        0);
  }

  private void assertRefused(Reason reason, Hello hello) {
    openWith(9, hello, 0);
    assertEquals(reason, ((Refused) lastSent()).reason());
    assertTrue(port.closed.contains(new SessionId(9)));
  }

  private void openWith(long id, Hello hello, long nowNs) {
    sessions.opened(new SessionId(id), W, "here", nowNs);
    handshakeHandler.hello(session(id), hello, nowNs);
  }

  private WorkerSession session(long id) {
    return Objects.requireNonNull(sessions.get(new SessionId(id)));
  }

  private Object lastSent() {
    return port.sent.getLast().message();
  }

  private void append(long index, Hash root) throws OpLogFullException {
    log.append(index, Entries.of(index, Genesis.op()).root(root).encoded(), false);
  }

  private static Hello hello(long applied, Hash root) {
    return Hellos.of(WORKSPACE, W, RUN, applied, root);
  }

  private static OptionalLong none() {
    return OptionalLong.empty();
  }

  private static Hello hasSeen(long lineage, long index, Hash root) {
    return helloWith("", new SeenState(lineage, 0, index, root));
  }

  @Test
  void whoHasSeenWhatTheLeaderHasIsWelcome() {
    openWith(1, hasSeen(0, 1, ROOT_1), 0);
    assertEquals(0, assertInstanceOf(Welcome.class, lastSent()).lineage());
  }

  @Test
  void aLeaderWhoseStateEndsBeforeWhatAWorkerHasSeenEnds() {
    OldStateException old =
        assertThrows(
            OldStateException.class, () -> openWith(1, hasSeen(0, 900, new Hash(9, 9, 9, 9)), 0));
    assertTrue(
        String.valueOf(old.getMessage())
            .startsWith("worker w1 has seen entry 900, the leader's state ends at entry "),
        old.getMessage());
    assertEquals(Reason.PROTOCOL_ERROR, ((Refused) lastSent()).reason(), "it keeps its state");
  }

  /** Two standbys are not equally far, and the one that leads need not be the one that has more. */
  @Test
  void aStandbyThatHasMoreDoesNotEndTheLeader() {
    SeenState seen = new SeenState(0, 0, 900, new Hash(9, 9, 9, 9));
    openWith(1, helloWith("", seen, Features.NONE.with(Feature.SYNC_STANDBY)), 0);
    assertEquals(Reason.DIVERGED, ((Refused) lastSent()).reason());
  }

  @Test
  void soDoesOneThatHasAnotherEntryThere() {
    assertThrows(
        OldStateException.class, () -> openWith(1, hasSeen(0, 1, new Hash(9, 9, 9, 9)), 0));
  }

  @Test
  void soDoesOneThatDoesNotKnowTheLineage() {
    assertThrows(OldStateException.class, () -> openWith(1, hasSeen(5, 1, ROOT_1), 0));
  }

  @Test
  void whatWasSeenBeforeARewindIsGivenUp() {
    handshakeHandler.lineage(Lineage.FIRST.rewound(5, 1, 0, "on purpose"), Term.FIRST);
    openWith(1, hasSeen(0, 900, new Hash(9, 9, 9, 9)), 0);
    assertEquals(5, assertInstanceOf(Welcome.class, lastSent()).lineage());
    assertThrows(
        OldStateException.class, () -> openWith(2, hasSeen(5, 900, new Hash(9, 9, 9, 9)), 0));
  }

  private static Hello hasSeenTerm(long lineage, long term) {
    return helloWith("", new SeenState(lineage, term, 1, ROOT_1));
  }

  @Test
  void aLeaderEndsWhenAWorkerHasSeenOneOfAHigherTerm() {
    handshakeHandler.lineage(Lineage.FIRST, new Term(2));
    DeposedException deposed =
        assertThrows(DeposedException.class, () -> openWith(1, hasSeenTerm(0, 3), 0));
    assertEquals(
        "worker w1 has seen a leader of term 3, this one has term 2", deposed.getMessage());
    assertEquals(new Deposition(0, 3, deposed.deposition().worker()), deposed.deposition());
    assertEquals(Reason.PROTOCOL_ERROR, ((Refused) lastSent()).reason(), "it keeps its state");
    assertTrue(port.closed.contains(new SessionId(1)));
  }

  /** It would end this leader for good, and no other one could ever follow it. */
  @Test
  void aTermThatNoLeaderCanHaveIsNotBelieved() {
    handshakeHandler.lineage(Lineage.FIRST, new Term(2));
    openWith(1, hasSeenTerm(0, Term.MAX), 0);
    assertEquals(Reason.PROTOCOL_ERROR, ((Refused) lastSent()).reason());
    assertThrows(
        DeposedException.class, () -> openWith(2, hasSeenTerm(0, Term.MAX - 1), SECOND_NS));
  }

  @Test
  void whoHasSeenNoHigherTermIsToldTheOneThatLeads() {
    handshakeHandler.lineage(Lineage.FIRST, new Term(2));
    openWith(1, hasSeenTerm(0, 2), 0);
    assertEquals(2, assertInstanceOf(Welcome.class, lastSent()).term());
    openWith(2, hasSeenTerm(0, 1), SECOND_NS);
    assertEquals(2, assertInstanceOf(Welcome.class, lastSent()).term());
  }

  /** The way out if a worker lies, or the leader of the higher term is gone for good. */
  @Test
  void aRewindGivesUpTheTermsThatWereSeenBeforeIt() {
    handshakeHandler.lineage(Lineage.FIRST.rewound(5, 1, 0, "on purpose"), new Term(2));
    openWith(1, hasSeenTerm(0, Long.MAX_VALUE), 0);
    assertEquals(2, assertInstanceOf(Welcome.class, lastSent()).term());
    assertThrows(DeposedException.class, () -> openWith(2, hasSeenTerm(5, 3), SECOND_NS));
  }
}
