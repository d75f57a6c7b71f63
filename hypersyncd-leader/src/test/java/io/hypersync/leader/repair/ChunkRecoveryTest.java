package io.hypersync.leader.repair;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.leader.session.RecordingSessionPort;
import io.hypersync.leader.session.TailCache;
import io.hypersync.leader.session.WorkerSessions;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.LeaderMessage.ChunkData;
import io.hypersync.wire.message.LeaderMessage.ChunkUnavailable;
import io.hypersync.wire.message.LeaderMessage.ChunkWanted;
import io.hypersync.wire.transport.SessionId;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Workers are asked one after the other for a chunk that the leader has lost. */
class ChunkRecoveryTest {
  private static final long SECOND_NS = 1_000_000_000L;
  private static final SessionId A = new SessionId(1);
  private static final SessionId B = new SessionId(2);
  private static final SessionId C = new SessionId(3);
  private static final Hash LOST = new Hash(1, 2, 3, 4);
  private static final ChunkRef CHUNK = new ChunkRef(LOST, 9);

  private final RecordingSessionPort port = new RecordingSessionPort();
  private final List<String> served = new ArrayList<>();
  private final WorkerSessions sessions =
      new WorkerSessions(port, (_, _, _) -> {}, new TailCache(2, 100), 10);
  private final List<Hash> verified = new ArrayList<>();
  private final ChunkRecovery recovery =
      new ChunkRecovery(
          sessions,
          port,
          (session, chunk) -> served.add(session.value() + " " + chunk.hash()),
          verified::add);
  private long nowNs = 7;

  @Test
  void theFirstWorkerThatHasItSendsItAndWhoAskedIsServed() {
    join(A, B, C);
    wantedBy(A);
    tick();
    assertAsked(B);
    recovery.absent(B, LOST, nowNs);
    tick();
    assertAsked(C);
    assertFalse(recovery.copyArrived(B, LOST, nowNs), "it has answered");
    assertTrue(recovery.copyArrived(C, LOST, nowNs));
    recovery.stored(LOST);
    assertEquals(List.of("1 " + LOST), served);
    assertEquals(1, recovery.recovered());
    assertEquals(0, recovery.searches());
  }

  @Test
  void whoAskedIsToldWhenNobodyHasIt() {
    join(A, B);
    wantedBy(A);
    tick();
    recovery.absent(B, LOST, nowNs);
    runFor(3 * SECOND_NS);
    assertEquals(List.of(LOST), verified, "the store is asked once more");
    assertEquals(1, recovery.searches(), "its answer is waited for");
    readInVain();
    assertUnavailable(A, Errno.EIO);
    assertEquals(0, recovery.searches());
    assertEquals(1, recovery.failed());
    wantedBy(B);
    assertUnavailable(B, Errno.EIO); // at once, for a minute
    nowNs += 61 * SECOND_NS;
    port.sent.clear();
    wantedBy(B);
    tick();
    assertAsked(A);
  }

  /** Who reads it again meanwhile tells of it each time. */
  @Test
  void itIsHopelessForAMinuteOrUntilAWorkerJoins() {
    join(A);
    recovery.lost(LOST, "it cannot be read", nowNs);
    tick();
    assertAsked(A);
    assertFalse(recovery.isHopeless(LOST, nowNs), "it may answer");
    recovery.absent(A, LOST, nowNs);
    for (int i = 0; i < 3; i++) {
      runFor(SECOND_NS);
      recovery.lost(LOST, "it cannot be read", nowNs);
    }
    tick();
    assertTrue(recovery.isHopeless(LOST, nowNs));
    assertFalse(recovery.isHopeless(new Hash(1, 2, 3, 5), nowNs));
    assertFalse(recovery.isHopeless(LOST, nowNs + 61 * SECOND_NS));
    recovery.established();
    assertFalse(recovery.isHopeless(LOST, nowNs));
  }

  /** "Nobody has it" would be wrong: B has not said so. */
  @Test
  void whileAWorkerOwesAnAnswerReadersAreToldToAskAgain() {
    join(A, B, C);
    wantedBy(A);
    tick();
    assertAsked(B);
    runFor(SECOND_NS / 2);
    assertAsked(C);
    recovery.absent(C, LOST, nowNs);
    runFor(11 * SECOND_NS);
    readInVain();
    assertUnavailable(A, Errno.EAGAIN);
    assertEquals(0, recovery.searches());
    wantedBy(A);
    tick();
    assertAsked(C);
    assertTrue(recovery.copyArrived(B, LOST, nowNs), "its late copy is taken");
    recovery.stored(LOST);
    assertEquals(List.of("1 " + LOST), served);
  }

  @Test
  void aLateCopyIsTakenWhenNobodyLooksForItAnyMore() {
    join(A, B);
    wantedBy(A);
    tick();
    runFor(11 * SECOND_NS);
    readInVain();
    assertEquals(0, recovery.searches());
    assertTrue(recovery.copyArrived(B, LOST, nowNs));
    assertFalse(recovery.copyArrived(B, LOST, nowNs), "once");
  }

  /** One that has gone bad could hold up all who need the chunk. */
  @Test
  void aWorkerThatIsSilentIsNotWaitedForForEver() {
    join(A, B);
    for (int i = 0; i < 4; i++) {
      wantedBy(A);
      runFor(11 * SECOND_NS);
      readInVain();
    }
    assertUnavailable(A, Errno.EIO);
  }

  @Test
  void aCopyThatIsBeingWrittenIsNotAskedForElsewhere() {
    join(A, B, C);
    wantedBy(A);
    tick();
    assertAsked(B);
    assertTrue(recovery.copyArrived(B, LOST, nowNs));
    port.sent.clear();
    tick();
    assertEquals(List.of(), port.sent);
    recovery.damaged(LOST, nowNs);
    tick();
    assertAsked(C);
  }

  @Test
  void oneThatOwesManyIsNotAskedForMore() {
    join(A);
    for (int i = 0; i < 40; i++) {
      recovery.lost(new Hash(9, 9, 9, i), "rotten", nowNs);
    }
    tick();
    assertEquals(ChunkRecovery.MAX_OWED, wantedOf(last(A)).size());
    runFor(5 * SECOND_NS);
    assertEquals(1, port.sent.size(), "it has not answered");
    recovery.absent(A, wantedOf(last(A)).getFirst(), nowNs);
    tick();
    assertEquals(1, wantedOf(last(A)).size());
  }

  @Test
  void aWorkerThatJoinsIsAsked() {
    join(A);
    recovery.lost(LOST, "rotten", nowNs);
    tick();
    recovery.absent(A, LOST, nowNs);
    runFor(5 * SECOND_NS);
    readInVain();
    assertEquals(0, recovery.searches());
    join(B);
    recovery.established();
    port.sent.clear();
    wantedBy(A);
    tick();
    assertAsked(B);
  }

  /** It may invent hashes. */
  @Test
  void oneSessionCausesNoMoreThanItsShare() {
    join(A, B);
    for (int i = 0; i < 4_096; i++) {
      recovery.wanted(A, new ChunkRef(new Hash(9, 9, 9, i), 1), "gone", nowNs);
    }
    assertEquals(ChunkRecovery.MAX_PER_SESSION, recovery.searches());
    assertUnavailable(A, Errno.EAGAIN);
    port.sent.clear();
    wantedBy(B);
    assertEquals(ChunkRecovery.MAX_PER_SESSION + 1, recovery.searches(), "others have theirs");
    sessions.closed(A);
    recovery.ended(A);
    assertEquals(1, recovery.searches(), "nobody else has asked for them");
  }

  @Test
  void aSessionThatHasEndedIsNotServed() {
    join(A, B);
    wantedBy(A);
    tick();
    sessions.closed(A);
    recovery.ended(A);
    recovery.stored(LOST);
    assertEquals(List.of(), served);
    wantedBy(A);
    assertEquals(0, recovery.searches());
  }

  @Test
  void whereThereIsNoRoomWhoWaitsGetsTheBytes() {
    join(A, B, C);
    wantedBy(A);
    tick();
    assertTrue(recovery.copyArrived(B, LOST, nowNs));
    recovery.noRoom(LOST, new byte[] {7});
    assertEquals(LOST, assertInstanceOf(ChunkData.class, last(A)).hash());
    port.sent.clear();
    runFor(5 * SECOND_NS);
    assertEquals(List.of(), port.sent);
  }

  private void wantedBy(SessionId session) {
    recovery.wanted(session, CHUNK, "gone", nowNs);
  }

  private void readInVain() {
    recovery.lost(LOST, "gone", nowNs);
    tick();
  }

  private void assertUnavailable(SessionId session, Errno errno) {
    assertEquals(errno, assertInstanceOf(ChunkUnavailable.class, last(session)).errno());
  }

  private void runFor(long ns) {
    long endNs = nowNs + ns;
    while (nowNs - endNs < 0) {
      tick();
    }
  }

  private void join(SessionId... all) {
    for (SessionId id : all) {
      sessions.opened(id, new WorkerId("w" + id.value()), "here", nowNs);
      sessions.establish(Objects.requireNonNull(sessions.get(id)), 0);
    }
  }

  private void tick() {
    nowNs += SECOND_NS / 10;
    recovery.tick(nowNs);
  }

  private void assertAsked(SessionId session) {
    assertEquals(List.of(LOST), wantedOf(last(session)));
  }

  private static List<Hash> wantedOf(LeaderMessage message) {
    return assertInstanceOf(ChunkWanted.class, message).hashes();
  }

  private LeaderMessage last(SessionId session) {
    return port.sent.stream()
        .filter(sent -> sent.session().equals(session))
        .reduce((_, later) -> later)
        .orElseThrow()
        .message();
  }
}
