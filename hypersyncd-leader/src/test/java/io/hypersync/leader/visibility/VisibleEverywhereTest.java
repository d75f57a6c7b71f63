package io.hypersync.leader.visibility;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.leader.sequencer.OldestAck;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.wire.message.LeaderMessage.VisibilityLease;
import io.hypersync.wire.message.WorkerMessage.WorkerVisible;
import io.hypersync.wire.transport.SessionId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which acknowledgements wait for which workers, and for how long. */
class VisibleEverywhereTest {
  private static final long MS = 1_000_000;

  /** A lease of a second, and a tenth for clocks. */
  private static final long LEASE = 1_100 * MS;

  private static final WorkerId A = new WorkerId("a");
  private static final WorkerId B = new WorkerId("b");
  private static final SessionId AT_A = new SessionId(1);
  private static final SessionId AT_B = new SessionId(2);
  private static final ClientId RUN_A = new ClientId(0, 1);
  private static final ClientId RUN_B = new ClientId(0, 2);

  private long nowNs = 1_000 * MS;
  private long durable = 10;
  private final Map<SessionId, VisibilityLease> last = new HashMap<>();
  private final List<SessionId> hungUp = new ArrayList<>();
  private final VisibleEverywhere visibility =
      new VisibleEverywhere(last::put, hungUp::add, () -> durable, nowNs);

  @Test
  void whileItIsOffNothingWaitsAndNobodyIsTold() {
    visibility.begin(VisibilityOptions.DEFAULT, nowNs);
    join(AT_A, A, RUN_A);
    assertTrue(visibility.admits(A, 10));
    assertEquals(Map.of(), last);
    assertEquals(List.of(), visibility.workers(nowNs));
    assertFalse(visibility.inForce(nowNs));
  }

  @Test
  void aLeaderThatStartsWaitsForTheLeasesOfTheRunBefore() {
    begin();
    assertFalse(visibility.admits(A, 10), "some worker may hold a lease, and not show it");
    passes(LEASE - 1);
    assertFalse(visibility.admits(A, 10));
    passes(1);
    assertTrue(visibility.admits(A, 10));
  }

  @Test
  void anAckWaitsForAllThatHoldALeaseButTheOneItIsFor() {
    bothHold();
    durable = 11;
    assertFalse(visibility.admits(A, 11));
    shows(AT_A, 11);
    assertFalse(visibility.admits(A, 11), "that a shows it says nothing of b");
    assertTrue(visibility.admits(B, 11), "b answers its own caller when it is visible there");
    shows(AT_B, 11);
    assertTrue(visibility.admits(A, 11));
  }

  @Test
  void aLeaseIsAnsweredToTheReportItWasSentWith() {
    bothHold();
    visibility.reported(AT_B, new WorkerVisible(10, 4_711), nowNs);
    passes(100 * MS);
    assertEquals(new VisibilityLease(1_000, 4_711), last.get(AT_B));
  }

  @Test
  void whoJoinsIsToldBeforeAndGetsALeaseWhenItShowsAllThatWasAcknowledged() {
    begin();
    passes(LEASE);
    assertTrue(visibility.admits(A, 10));
    visibility.announce(AT_B);
    assertEquals(new VisibilityLease(1_000, 0), last.get(AT_B));
    join(AT_B, B, RUN_B);
    assertTrue(visibility.admits(A, 10), "it is not counted before its first report");
    durable = 12;
    assertTrue(visibility.admits(A, 11));
    shows(AT_B, 10);
    assertEquals(new VisibilityLease(1_000, 0), last.get(AT_B), "11 was acknowledged without it");
    assertFalse(visibility.admits(A, 12), "but what comes now waits, so that it can catch up");
    shows(AT_B, 11);
    assertEquals(1_000, last.get(AT_B).leaseMs());
    assertTrue(last.get(AT_B).sentNs() > 0);
    assertFalse(visibility.admits(A, 12));
    shows(AT_B, 12);
    assertTrue(visibility.admits(A, 12));
  }

  @Test
  void whoIsFarBehindIsNotWaitedFor() {
    begin();
    passes(LEASE);
    join(AT_B, B, RUN_B);
    durable = 5_000;
    shows(AT_B, 3_000);
    assertTrue(visibility.admits(A, 5_000));
    assertEquals(0, last.getOrDefault(AT_B, new VisibilityLease(0, 0)).sentNs());
  }

  @Test
  void whoIsGoneIsWaitedForUntilItsLeaseIsOver() {
    bothHold();
    shows(AT_B, 10);
    passes(100 * MS); // it is renewed
    visibility.ended(AT_B);
    durable = 11;
    assertFalse(visibility.admits(A, 11), "it may not have noticed");
    passes(LEASE - 101 * MS);
    assertFalse(visibility.admits(A, 11));
    passes(1 * MS);
    assertTrue(visibility.admits(A, 11));
    assertEquals(1, visibility.workers(nowNs).size(), "and forgotten");
  }

  @Test
  void whoConnectsAnewHasGivenUpItsLease() {
    bothHold();
    visibility.ended(AT_B);
    durable = 11;
    assertFalse(visibility.admits(A, 11));
    visibility.established(new SessionId(3), B, RUN_B);
    assertTrue(visibility.admits(A, 11));
  }

  @Test
  void anotherRunOfTheSameWorkerGivesNothingUp() {
    bothHold();
    visibility.ended(AT_B);
    durable = 11;
    visibility.established(new SessionId(3), B, new ClientId(0, 9));
    assertFalse(visibility.admits(A, 11), "the run before may still show something");
    assertFalse(visibility.admits(B, 11), "also to a caller of the other run");
  }

  @Test
  void whoIsTooSlowGetsNoLeaseAnyMoreAndIsNotWaitedForWhenTheLastOneIsOver() {
    bothHold();
    durable = 11;
    waitsFor(new OldestAck(A, 11), 1_900);
    assertEquals(0, visibility.cutOffs());
    assertTrue(blocksNs(B) >= 1_800 * MS, "who is waited for is shown");
    waitsFor(new OldestAck(A, 11), 300);
    assertEquals(1, visibility.cutOffs());
    assertFalse(visibility.admits(A, 11), "it may hold its last lease");
    waitsFor(new OldestAck(A, 11), 1_200);
    assertTrue(visibility.admits(A, 11));
    assertEquals(1, visibility.cutOffs(), "once");
  }

  @Test
  void whoWasTooSlowComesBackAfterAPauseThatDoubles() {
    bothHold();
    long first = cutOff(11);
    long second = cutOff(12);
    assertEquals(1_000.0, (double) first / MS, 150);
    assertEquals(2_000.0, (double) second / MS, 150);
  }

  @Test
  void aLeaderThatWasPausedBlamesNobodyForIt() {
    bothHold();
    durable = 11;
    visibility.waits(new OldestAck(A, 11), nowNs);
    nowNs += 60_000 * MS;
    visibility.waits(new OldestAck(A, 11), nowNs);
    assertEquals(0, visibility.cutOffs(), "what has come meanwhile is not read yet");
  }

  @Test
  void oneSlowAckIsForgivenAndSeveralInARowAreNot() {
    bothHold();
    durable = 13;
    waitsFor(new OldestAck(A, 11), 1_500);
    assertEquals(0, visibility.cutOffs());
    waitsFor(new OldestAck(A, 12), 1_500);
    assertEquals(1, visibility.cutOffs(), "it holds everybody up, however it divides that");
  }

  @Test
  void whatIsLongAgoIsForgotten() {
    bothHold();
    durable = 13;
    waitsFor(new OldestAck(A, 11), 1_500);
    waitsForNobody(15_000);
    waitsFor(new OldestAck(A, 12), 1_500);
    assertEquals(0, visibility.cutOffs());
  }

  @Test
  void aMomentForEachAckIsWhatTheModeCosts() {
    bothHold();
    for (int ack = 0; ack < 100; ack++) {
      durable = 11L + ack;
      waitsFor(new OldestAck(A, durable), 180);
    }
    assertEquals(0, visibility.cutOffs());
  }

  @Test
  void anotherRunIsNoLessSlow() {
    bothHold();
    durable = 11;
    waitsFor(new OldestAck(A, 11), 1_500);
    visibility.ended(AT_B);
    passes(LEASE);
    join(AT_B, B, new ClientId(0, 9));
    shows(AT_B, 11);
    assertTrue(holds(B));
    durable = 12;
    waitsFor(new OldestAck(A, 12), 1_500);
    assertEquals(1, visibility.cutOffs());
  }

  @Test
  void turnedOnWhileWorkersAreConnectedItHoldsWhenAllKnow() {
    visibility.begin(VisibilityOptions.DEFAULT, nowNs);
    join(AT_A, A, RUN_A);
    join(AT_B, B, RUN_B);
    passes(LEASE);
    visibility.turn(Visibility.EVERYWHERE, nowNs);
    assertEquals(new VisibilityLease(1_000, 0), last.get(AT_A));
    assertEquals(new VisibilityLease(1_000, 0), last.get(AT_B));
    shows(AT_A, 10);
    assertFalse(visibility.inForce(nowNs), "b may write and not know it");
    shows(AT_B, 10);
    assertTrue(visibility.inForce(nowNs));
    durable = 11;
    assertFalse(visibility.admits(A, 11));
    visibility.turn(Visibility.OWN, nowNs);
    assertTrue(visibility.admits(A, 11));
    assertEquals(new VisibilityLease(0, 0), last.get(AT_B));
  }

  @Test
  void whoDoesNotTakeItUpIsHungUp() {
    visibility.begin(VisibilityOptions.DEFAULT, nowNs);
    join(AT_A, A, RUN_A);
    join(AT_B, B, RUN_B);
    passes(LEASE);
    visibility.turn(Visibility.EVERYWHERE, nowNs);
    shows(AT_A, 10);
    passes(1_999 * MS);
    assertEquals(List.of(), hungUp);
    passes(1 * MS);
    assertEquals(List.of(AT_B), hungUp);
    visibility.ended(AT_B);
    shows(AT_A, 10);
    assertTrue(visibility.inForce(nowNs));
  }

  @Test
  void turnedOffAndOnAgainItWaitsForTheLeasesOfTheTimeBefore() {
    bothHold();
    visibility.turn(Visibility.OWN, nowNs);
    visibility.turn(Visibility.EVERYWHERE, nowNs);
    assertFalse(visibility.admits(A, 10));
    passes(LEASE);
    assertTrue(visibility.admits(A, 10));
  }

  @Test
  void aWorkerThatClaimsTheFutureIsBelievedOnlyWhatIsDurable() {
    bothHold();
    shows(AT_B, Long.MAX_VALUE);
    durable = 11;
    assertFalse(visibility.admits(A, 11));
  }

  @Test
  void reportsOfStrangersAreNothing() {
    begin();
    visibility.reported(new SessionId(99), new WorkerVisible(5, 1), nowNs);
    assertEquals(List.of(), visibility.workers(nowNs));
    assertNull(last.get(new SessionId(99)));
  }

  private void begin() {
    visibility.begin(
        new VisibilityOptions(Visibility.EVERYWHERE, 2_000 * MS, VisibilityOptions.LEASE_NS),
        nowNs);
  }

  private void bothHold() {
    begin();
    passes(LEASE);
    join(AT_A, A, RUN_A);
    join(AT_B, B, RUN_B);
    shows(AT_A, 10);
    shows(AT_B, 10);
    assertTrue(visibility.inForce(nowNs));
  }

  private void join(SessionId session, WorkerId worker, ClientId run) {
    visibility.established(session, worker, run);
  }

  private void shows(SessionId session, long settled) {
    visibility.reported(session, new WorkerVisible(settled, nowNs), nowNs);
  }

  private void passes(long ns) {
    nowNs += ns;
    var _ = visibility.tick(nowNs);
  }

  /** Turns of the leader's loop for so many milliseconds, in which b reports and shows nothing. */
  private void waitsFor(OldestAck ack, long ms) {
    for (long passed = 0; passed < ms; passed += 20) {
      visibility.reported(AT_A, new WorkerVisible(ack.index(), nowNs), nowNs);
      visibility.reported(AT_B, new WorkerVisible(10, nowNs), nowNs);
      passes(20 * MS);
      visibility.waits(visibility.admits(ack.worker(), ack.index()) ? null : ack, nowNs);
    }
  }

  /** Turns of the leader's loop in which no ack waits. */
  private void waitsForNobody(long ms) {
    for (long passed = 0; passed < ms; passed += 20) {
      shows(AT_A, durable);
      shows(AT_B, durable);
      passes(20 * MS);
      visibility.waits(null, nowNs);
    }
  }

  /** Has b be too slow for an entry; returns how long it gets no lease after its last one. */
  private long cutOff(long index) {
    durable = index;
    long before = visibility.cutOffs();
    while (visibility.cutOffs() == before) {
      waitsFor(new OldestAck(A, index), 20);
    }
    while (holds(B)) {
      waitsFor(new OldestAck(A, index), 20);
    }
    long begunNs = nowNs;
    while (!holds(B)) {
      shows(AT_B, index);
      passes(20 * MS);
    }
    return nowNs - begunNs;
  }

  private boolean holds(WorkerId worker) {
    VisibleEverywhere.Counted found = find(worker);
    return found != null && found.mayHoldLease();
  }

  private long blocksNs(WorkerId worker) {
    VisibleEverywhere.Counted found = find(worker);
    return found == null ? 0 : found.blocksNs();
  }

  private VisibleEverywhere.@Nullable Counted find(WorkerId worker) {
    return visibility.workers(nowNs).stream()
        .filter(each -> each.worker().equals(worker))
        .findFirst()
        .orElse(null);
  }
}
