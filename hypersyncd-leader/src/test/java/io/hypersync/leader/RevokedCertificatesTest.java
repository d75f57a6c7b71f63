package io.hypersync.leader;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.fixtures.ManualClock;
import io.hypersync.leader.certificates.Certificates.StandbyKnowledge;
import io.hypersync.leader.certificates.KnownCertificate;
import io.hypersync.leader.certificates.RevocationList;
import io.hypersync.leader.presence.Peer;
import io.hypersync.leader.presence.PresenceEvent;
import io.hypersync.leader.session.DisconnectedWorkers;
import io.hypersync.leader.session.Hellos;
import io.hypersync.leader.session.RecordingSessionPort;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.lock.LockKind;
import io.hypersync.model.lock.LockRange;
import io.hypersync.model.state.FsState;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.LeaderMessage.Refused;
import io.hypersync.wire.message.LocalPressure;
import io.hypersync.wire.message.Revocation;
import io.hypersync.wire.message.WorkerMessage;
import io.hypersync.wire.message.WorkerMessage.WorkerApplied;
import io.hypersync.wire.pki.CertificateFacts;
import io.hypersync.wire.transport.SessionId;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a leader does with workers whose certificates are revoked. */
final class RevokedCertificatesTest {
  private static final WorkspaceId WORKSPACE = new WorkspaceId(1, 1);
  private static final WorkerId FMD = new WorkerId("fmd");
  private static final WorkerId BOB = new WorkerId("bob");
  private static final WorkerId SPARE = new WorkerId("spare");
  private static final SessionId FIRST = new SessionId(1);
  private static final SessionId SECOND = new SessionId(2);
  private static final SessionId THIRD = new SessionId(3);
  private static final long DAY_MS = 86_400_000;

  private final MemoryOpLog log = new MemoryOpLog();
  private final RecordingSessionPort port = new RecordingSessionPort();
  private final ManualClock clock = new ManualClock(1);
  private final LeaderAgent leader =
      new LeaderParts(WORKSPACE).log(log).port(port).clock(clock).agent();

  private static CertificateFacts cert(String serial) {
    return new CertificateFacts(serial, 0, 3_653 * DAY_MS); // issued a day after 1970
  }

  private static Revocation all(WorkerId worker) {
    return new Revocation(worker, "", 2 * DAY_MS, "stolen");
  }

  private static Revocation one(WorkerId worker, String serial) {
    return new Revocation(worker, serial, 2 * DAY_MS, "");
  }

  @BeforeEach
  void begin() {
    turn();
  }

  private void turn() {
    leader.doWork();
    log.sync();
    clock.advance(200_000_000);
    leader.doWork();
  }

  private void join(SessionId session, WorkerId worker, @Nullable CertificateFacts cert) {
    leader.sessionOpened(session, worker, "somewhere", cert);
    leader.received(session, Hellos.ofNew(WORKSPACE, worker, new ClientId(7, session.value())));
    turn();
  }

  private List<WorkerId> revoke(Revocation row) {
    RevocationList longer = leader.certificates().revocations().with(row);
    List<WorkerId> cut = leader.revoked(Objects.requireNonNull(longer), row);
    turn();
    return cut;
  }

  private <T> List<T> sent(SessionId session, Class<T> kind) {
    return port.sent.stream()
        .filter(each -> each.session().equals(session) && kind.isInstance(each.message()))
        .map(each -> kind.cast(each.message()))
        .toList();
  }

  private List<WorkerId> peers() {
    return leader.presence().peers().stream().map(Peer::worker).toList();
  }

  @Test
  void aWorkerThatIsConnectedIsCutOffAndOthersAreNot() {
    join(FIRST, FMD, cert("1"));
    join(SECOND, BOB, cert("2"));
    assertEquals(List.of(FMD), revoke(all(FMD)));
    Refused word = sent(FIRST, Refused.class).getFirst();
    assertEquals(Refused.Reason.REVOKED, word.reason());
    assertTrue(
        word.message().startsWith("its certificate was revoked at 1970-01-03T00:00:00Z: stolen. "),
        word.message());
    assertTrue(word.message().contains("./hypersync token fmd"), word.message());
    assertTrue(port.closed.contains(FIRST));
    assertNull(leader.sessions().of(FMD));
    assertFalse(port.closed.contains(SECOND));
    assertNotNull(leader.sessions().of(BOB));
    assertEquals(List.of(BOB), peers());
    assertEquals(1, leader.presence().events().count(PresenceEvent.Kind.WORKER_LEFT));
  }

  @Test
  void itIsNotLetInAgainNorHeard() {
    revoke(all(FMD));
    join(FIRST, FMD, cert("1"));
    assertEquals(1, sent(FIRST, Refused.class).size(), "and its Hello is not even read");
    assertEquals(List.of(), sent(FIRST, LeaderMessage.Welcome.class));
    assertEquals(List.of(), peers());
    assertEquals(
        DisconnectedWorkers.Kind.REVOKED, leader.disconnected().newestFirst().getFirst().kind());
  }

  @Test
  void oneWithANewerCertificateIsLetIn() {
    revoke(all(FMD));
    join(FIRST, FMD, new CertificateFacts("2", 2 * DAY_MS, 9 * DAY_MS)); // issued on the third day
    assertEquals(1, sent(FIRST, LeaderMessage.Welcome.class).size());
  }

  @Test
  void ofTwoCertificatesOfAWorkerTheOtherOneIsGood() {
    join(FIRST, FMD, cert("1"));
    assertEquals(List.of(), revoke(one(FMD, "2")));
    assertFalse(port.closed.contains(FIRST));
    assertEquals(List.of(FMD), peers());
    assertEquals(List.of(FMD), revoke(one(FMD, "1")));
    assertEquals(List.of(), peers());
  }

  /** Whoever has stolen a certificate does not end the session of its owner by that. */
  @Test
  void aConnectionWithoutHelloTakesNoSessionWithIt() {
    join(FIRST, FMD, cert("2"));
    join(THIRD, BOB, cert("3"));
    lock(FIRST, 1);
    leader.sessionOpened(SECOND, FMD, "elsewhere", cert("1"));
    assertEquals(List.of(FMD), revoke(one(FMD, "1")));
    assertTrue(port.closed.contains(SECOND));
    assertFalse(port.closed.contains(FIRST));
    assertNotNull(leader.sessions().of(FMD));
    assertTrue(peers().contains(FMD));
    assertEquals(0, leader.presence().events().count(PresenceEvent.Kind.WORKER_LEFT));
    lock(THIRD, 1);
    assertEquals(
        LeaderMessage.LockResponse.Verdict.DENIED,
        sent(THIRD, LeaderMessage.LockResponse.class).getLast().verdict(),
        "its lock is its own");
  }

  @Test
  void whoIsAwayHasLeftAtOnceSoNoTokenTakesItsSessionUp() {
    join(FIRST, FMD, cert("1"));
    leader.sessionClosed(FIRST, "its network is gone");
    assertEquals(List.of(FMD), peers(), "its lease goes on");
    revoke(all(FMD));
    assertEquals(List.of(), peers());
  }

  @Test
  void itsLocksAreFree() {
    join(FIRST, FMD, cert("1"));
    join(SECOND, BOB, cert("2"));
    lock(FIRST, 1);
    lock(SECOND, 1);
    assertEquals(
        List.of(LeaderMessage.LockResponse.Verdict.GRANTED),
        sent(FIRST, LeaderMessage.LockResponse.class).stream()
            .map(LeaderMessage.LockResponse::verdict)
            .toList());
    assertEquals(
        LeaderMessage.LockResponse.Verdict.DENIED,
        sent(SECOND, LeaderMessage.LockResponse.class).getLast().verdict());
    revoke(all(FMD));
    lock(SECOND, 2);
    assertEquals(
        LeaderMessage.LockResponse.Verdict.GRANTED,
        sent(SECOND, LeaderMessage.LockResponse.class).getLast().verdict());
  }

  private void lock(SessionId session, long number) {
    leader.received(
        session,
        new WorkerMessage.LockRequest(
            new IntentId(new ClientId(7, session.value()), number),
            FsState.ROOT,
            LockKind.FLOCK_EXCLUSIVE,
            5,
            9,
            LockRange.WHOLE,
            WorkerMessage.LockRequest.Wish.TRY));
    turn();
  }

  @Test
  void theWorkerInTheLeadersProcessHasNoCertificate() {
    join(FIRST, FMD, null);
    assertEquals(List.of(), revoke(all(FMD)));
    assertFalse(port.closed.contains(FIRST));
  }

  @Test
  void standbysAreToldAndSayThatTheyKeepIt() {
    revoke(all(FMD));
    join(FIRST, SPARE, cert("3"));
    join(SECOND, BOB, cert("2"));
    reportsAsStandby(FIRST);
    reportsAsStandby(FIRST);
    LeaderMessage.Revocations first = new LeaderMessage.Revocations(List.of(all(FMD)));
    assertEquals(List.of(first), sent(FIRST, LeaderMessage.Revocations.class), "once");
    assertEquals(List.of(), sent(SECOND, LeaderMessage.Revocations.class));
    assertEquals(List.of(new StandbyKnowledge(SPARE, false)), leader.certificates().knowledge());
    leader.received(FIRST, new WorkerMessage.RevocationsKept(1));
    assertEquals(List.of(new StandbyKnowledge(SPARE, true)), leader.certificates().knowledge());
    revoke(one(BOB, "77"));
    assertEquals(
        new LeaderMessage.Revocations(List.of(all(FMD), one(BOB, "77"))),
        sent(FIRST, LeaderMessage.Revocations.class).getLast());
    assertEquals(List.of(new StandbyKnowledge(SPARE, false)), leader.certificates().knowledge());
    KnownCertificate known =
        leader.certificates().known().stream()
            .filter(each -> each.worker().equals(SPARE))
            .findFirst()
            .orElseThrow();
    assertTrue(known.isStandby());
  }

  @Test
  void aStandbyThatSaysItHasMoreThanItWasToldIsHungUp() {
    join(FIRST, SPARE, cert("3"));
    reportsAsStandby(FIRST);
    leader.received(FIRST, new WorkerMessage.RevocationsKept(1));
    assertTrue(port.closed.contains(FIRST));
  }

  private void reportsAsStandby(SessionId session) {
    leader.received(
        session, new WorkerApplied(0, Hash.ZERO, true, 0, null, LocalPressure.NOT_KNOWN, 0));
    turn();
  }

  @Test
  void whatHasComeIsKnownAndBounded() {
    for (int i = 0; i < 4_100; i++) {
      SessionId session = new SessionId(100 + i);
      leader.sessionOpened(session, BOB, "x", cert(Integer.toHexString(1 + i)));
      leader.sessionClosed(session, "gone");
    }
    List<KnownCertificate> known = leader.certificates().known();
    assertEquals(4_096, known.size());
    assertEquals(Integer.toHexString(4_100), known.getLast().facts().serial());
    assertNotNull(leader.certificates().takeChanged());
    assertNull(leader.certificates().takeChanged(), "nothing has changed since");
    join(THIRD, SPARE, cert("abc123"));
    assertNotNull(leader.certificates().takeChanged());
  }

  @Test
  void whenAWorkerThatStaysWasSeenIsStoredAgainAfterAnHour() {
    join(FIRST, FMD, cert("1"));
    assertNotNull(leader.certificates().takeChanged());
    for (int minute = 0; minute < 60; minute++) {
      clock.advance(60_000_000_000L);
      assertNull(leader.certificates().takeChanged(), "minute " + minute);
    }
    clock.advance(60_000_000_000L);
    List<KnownCertificate> stored = leader.certificates().takeChanged();
    assertNotNull(stored);
    assertEquals(clock.epochNs() / 1_000_000, stored.getFirst().seenMs());
    assertNull(leader.certificates().takeChanged());
  }
}
