package io.hypersync.leader.syncstandby;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.fixtures.ManualClock;
import io.hypersync.leader.syncstandby.SyncRecord.Standing;
import io.hypersync.model.id.WorkerId;
import io.hypersync.wire.message.Feature;
import io.hypersync.wire.message.Features;
import io.hypersync.wire.message.StandbyStanding.Mark;
import io.hypersync.wire.transport.SessionId;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** How far the log counts as durable when standbys are waited for. */
final class SyncStandbysTest {
  private static final WorkerId SPARE = new WorkerId("spare");
  private static final WorkerId OTHER = new WorkerId("other");
  private static final SessionId S1 = new SessionId(1);
  private static final SessionId S2 = new SessionId(2);
  private static final long SECOND = 1_000_000_000L;

  private final ManualClock clock = new ManualClock();
  private final List<String> events = new ArrayList<>();
  private SyncRecord stored = SyncRecord.NONE;
  private boolean isDiskFull;
  private long own;
  private SyncStandbys standbys;

  /** A leader that has recovered this much, and waits for these. */
  private void begin(Degrade degrade, long recovered, WorkerId... names) {
    own = recovered;
    standbys =
        new SyncStandbys(
            new SyncStandbyOptions(List.of(names), degrade, SECOND),
            stored,
            recovered,
            () -> own,
            record -> {
              if (!isDiskFull) {
                stored = record;
              }
              return !isDiskFull;
            },
            clock);
    standbys.tell((name, isSynchronous, _) -> events.add(name + " " + isSynchronous));
  }

  private void connected(SessionId session, WorkerId name) {
    standbys.established(session, name);
  }

  /** The standby has all up to here: on its disk, applied, and sent. */
  private void has(SessionId session, long index) {
    assertNull(standbys.reported(session, index, index, index));
  }

  /** Time passes, in turns as of a loop that runs. */
  private void pass(long ns) {
    for (long step = SECOND / 20, left = ns; left > 0; left -= step) {
      clock.advance(step);
      var _ = standbys.tick(clock.monotonicNs());
    }
  }

  private String state(WorkerId name) {
    return standbys.reports().stream()
        .filter(each -> each.name().equals(name))
        .findFirst()
        .orElseThrow()
        .state();
  }

  private Mark told(SessionId session) {
    return Objects.requireNonNull(standbys.standing(session)).mark();
  }

  @Test
  void anEntryIsDurableWhenBothDisksHaveIt() {
    begin(Degrade.BLOCK, 10, SPARE);
    assertEquals(10, standbys.durableIndex(), "what was acknowledged before stays so");
    own = 15;
    assertEquals(10, standbys.durableIndex());
    connected(S1, SPARE);
    has(S1, 12);
    assertEquals(12, standbys.durableIndex());
    has(S1, 15);
    assertEquals(15, standbys.durableIndex());
    own = 16;
    assertEquals(15, standbys.durableIndex());
  }

  @Test
  void withTwoItIsTheLeast() {
    begin(Degrade.BLOCK, 0, SPARE, OTHER);
    own = 20;
    connected(S1, SPARE);
    connected(S2, OTHER);
    has(S1, 20);
    assertEquals(0, standbys.durableIndex());
    has(S2, 7);
    assertEquals(7, standbys.durableIndex());
    standbys.ended(S1);
    has(S2, 20);
    assertEquals(7, standbys.durableIndex(), "what one has said does not count when it is away");
  }

  @Test
  void whatOneSaysThatCannotBeEndsItsConnectionAndCountsForNothing() {
    begin(Degrade.BLOCK, 10, SPARE);
    own = 20;
    connected(S1, SPARE);
    assertNotNull(standbys.reported(S1, 21, 21, 20));
    own = 30;
    assertEquals(10, standbys.durableIndex());
    assertNull(standbys.reported(S1, 30, 30, 30), "it is no standby's connection any more");
    assertEquals(10, standbys.durableIndex());
  }

  /** What was not compared on this connection may be of another history; what was not sent, too. */
  @Test
  void whatCountsWasSentAndAppliedAndSynced() {
    begin(Degrade.BLOCK, 10, SPARE);
    own = 30;
    connected(S1, SPARE);
    assertNull(standbys.reported(S1, 30, 14, 30));
    assertEquals(14, standbys.durableIndex());
    assertNull(standbys.reported(S1, 30, 30, 17));
    assertEquals(17, standbys.durableIndex());
    assertNull(standbys.reported(S1, 20, 30, 30));
    assertEquals(20, standbys.durableIndex());
  }

  @Test
  void oneThatGoesBackwardsTakesNothingBack() {
    begin(Degrade.BLOCK, 0, SPARE);
    own = 20;
    connected(S1, SPARE);
    has(S1, 20);
    own = 25;
    has(S1, 0);
    assertEquals(20, standbys.durableIndex());
    standbys.ended(S1);
    connected(S2, SPARE); // an empty folder under the same name
    has(S2, 3);
    assertEquals(20, standbys.durableIndex());
    assertEquals(Mark.INCOMPLETE, told(S2));
    has(S2, 25);
    assertEquals(25, standbys.durableIndex());
    assertEquals(Mark.SYNCHRONOUS, told(S2));
  }

  @Test
  void onlyAStandbyOfThatNameCounts() {
    begin(Degrade.BLOCK, 0, SPARE);
    Features all = Features.SUPPORTED.with(Feature.SYNC_STANDBY);
    assertTrue(standbys.isStandby(SPARE, all));
    assertFalse(standbys.isStandby(OTHER, all));
    assertFalse(standbys.isStandby(SPARE, Features.SUPPORTED), "a worker with its certificate");
    own = 9;
    assertNull(standbys.reported(S2, 9, 9, 9));
    assertEquals(0, standbys.durableIndex());
    assertNull(standbys.standing(S2));
  }

  @Test
  void oneIsSynchronousWhenItHasWhatWasAcknowledgedWithoutIt() {
    begin(Degrade.BLOCK, 100, SPARE);
    connected(S1, SPARE);
    assertEquals(Mark.INCOMPLETE, told(S1));
    has(S1, 99);
    assertEquals(Mark.INCOMPLETE, told(S1));
    assertEquals("catching_up", state(SPARE));
    has(S1, 100);
    assertEquals(Mark.SYNCHRONOUS, told(S1));
    assertEquals("synchronous", state(SPARE));
    assertTrue(stored.of(SPARE).orElseThrow().isSynchronous());
    assertEquals(List.of("spare true"), events);
  }

  /** Else the next start would show workers what the standby lacks. */
  @Test
  void oneIsNotToldThatItIsSynchronousBeforeThatIsOnTheDisk() {
    begin(Degrade.BLOCK, 100, SPARE);
    connected(S1, SPARE);
    isDiskFull = true;
    has(S1, 100);
    assertEquals(Mark.INCOMPLETE, told(S1));
    isDiskFull = false;
    has(S1, 100);
    assertEquals(Mark.INCOMPLETE, told(S1), "it is not tried in each turn");
    clock.advance(2 * SECOND);
    has(S1, 100);
    assertEquals(Mark.SYNCHRONOUS, told(S1));
  }

  @Test
  void aCutTakesNothingFromWhatAStandbyWasTold() {
    begin(Degrade.BLOCK, 0, SPARE);
    own = 5;
    connected(S1, SPARE);
    has(S1, 5);
    standbys.ended(S1);
    assertEquals("away", state(SPARE));
    own = 8;
    pass(100 * SECOND);
    assertEquals(5, standbys.durableIndex(), "block waits for ever");
    connected(S2, SPARE);
    assertEquals(Mark.AS_BEFORE, told(S2));
    has(S2, 5);
    assertEquals(Mark.SYNCHRONOUS, told(S2));
    has(S2, 8);
    assertEquals(8, standbys.durableIndex());
    assertEquals(List.of("spare true"), events);
  }

  @Test
  void afterAStartNobodyIsWelcomeBeforeTheStandbyHasWhatWasRecovered() {
    stored = SyncRecord.NONE.with(new Standing(SPARE, true, Degrade.BLOCK, 50, 0));
    begin(Degrade.BLOCK, 60, SPARE);
    assertTrue(standbys.holdsStart());
    connected(S1, SPARE);
    has(S1, 59);
    assertTrue(standbys.holdsStart());
    pass(100 * SECOND);
    assertTrue(standbys.holdsStart());
    has(S1, 60);
    assertFalse(standbys.holdsStart());
    standbys.ended(S1);
    assertFalse(standbys.holdsStart(), "a start is over once");
  }

  /** What is recovered then was acknowledged without any standby. */
  @Test
  void theFirstStartHoldsNobody() {
    begin(Degrade.BLOCK, 60, SPARE);
    assertFalse(standbys.holdsStart());
    stored = SyncRecord.NONE.with(new Standing(SPARE, false, Degrade.BLOCK, 50, 0));
    begin(Degrade.BLOCK, 60, SPARE);
    assertFalse(standbys.holdsStart());
  }

  @Test
  void aStandbyThatIsSilentIsLeftAndThatIsRecordedBefore() {
    leaveASilentOne();
  }

  private void leaveASilentOne() {
    begin(Degrade.ALONE, 0, SPARE);
    own = 5;
    connected(S1, SPARE);
    has(S1, 5);
    pass(SECOND / 10);
    has(S1, 5);
    assertEquals(Mark.SYNCHRONOUS, told(S1));
    own = 9;
    pass(SECOND * 8 / 10);
    assertEquals(5, standbys.durableIndex());
    isDiskFull = true;
    pass(5 * SECOND);
    assertEquals(5, standbys.durableIndex(), "what cannot be recorded is not done");
    isDiskFull = false;
    pass(2 * SECOND);
    assertEquals(9, standbys.durableIndex());
    assertEquals("alone", state(SPARE));
    assertEquals(5, standbys.reports().getFirst().aloneAfter());
    assertEquals(5, stored.of(SPARE).orElseThrow().index());
    assertFalse(stored.of(SPARE).orElseThrow().isSynchronous());
    assertEquals(Mark.INCOMPLETE, told(S1));
    assertEquals(List.of("spare true", "spare false"), events);
  }

  @Test
  void oneThatIsBackAndHasCaughtUpIsWaitedForAgain() {
    leaveASilentOne();
    own = 5_000;
    has(S1, 9);
    pass(3 * SECOND);
    assertEquals("alone", state(SPARE), "it is far behind");
    has(S1, 4_900);
    pass(SECOND / 10);
    assertEquals("catching_up", state(SPARE));
    own = 5_100;
    assertEquals(5_000, standbys.durableIndex(), "nothing is acknowledged without it from now on");
    assertEquals(Mark.INCOMPLETE, told(S1));
    has(S1, 5_000);
    assertEquals(Mark.SYNCHRONOUS, told(S1));
    has(S1, 5_100);
    assertEquals(5_100, standbys.durableIndex());
    assertEquals(List.of("spare true", "spare false", "spare true"), events);
  }

  /** It connects anew before each timeout, and says nothing: that is no progress. */
  @Test
  void oneThatComesAndGoesIsNotWaitedForLonger() {
    begin(Degrade.ALONE, 0, SPARE);
    own = 5;
    connected(S1, SPARE);
    has(S1, 5);
    pass(SECOND / 10);
    own = 9;
    for (int round = 0; round < 3; round++) {
      pass(SECOND / 2);
      standbys.ended(S1);
      connected(S1, SPARE);
    }
    assertEquals(9, standbys.durableIndex());
  }

  @Test
  void oneThatFallsBehindAgainAndAgainPausesLonger() {
    begin(Degrade.ALONE, 0, SPARE);
    own = 5;
    connected(S1, SPARE);
    has(S1, 5);
    pass(SECOND / 10);
    List<Long> waited = new ArrayList<>();
    for (int round = 0; round < 3; round++) {
      own += 10;
      pass(2 * SECOND);
      has(S1, own);
      long pauses = 0;
      for (; state(SPARE).equals("alone"); pauses++) {
        pass(SECOND / 4);
      }
      waited.add(pauses);
      has(S1, own);
    }
    assertTrue(waited.get(1) > waited.get(0) && waited.get(2) > waited.get(1), waited::toString);
  }

  /** A process that was stopped for an hour has not read what has come meanwhile. */
  @Test
  void aLeaderThatWasStoppedDoesNotBlameItsStandby() {
    begin(Degrade.ALONE, 0, SPARE);
    own = 5;
    connected(S1, SPARE);
    has(S1, 5);
    pass(SECOND / 10);
    own = 9;
    clock.advance(3_600 * SECOND);
    var _ = standbys.tick(clock.monotonicNs());
    assertEquals("synchronous", state(SPARE));
    assertEquals(5, standbys.durableIndex());
  }

  @Test
  void aStandbyThatWasNeverThereIsNotWaitedForBeforeItIsIfTheLeaderMayBeAlone() {
    begin(Degrade.ALONE, 10, SPARE);
    own = 20;
    assertEquals(20, standbys.durableIndex());
    assertEquals("alone", state(SPARE));
  }

  @Test
  void whoIsNamedNoMoreIsForgottenOnce() {
    stored = SyncRecord.NONE.with(new Standing(SPARE, true, Degrade.BLOCK, 50, 0));
    begin(Degrade.BLOCK, 60, OTHER);
    assertFalse(standbys.holdsStart());
    assertFalse(stored.of(SPARE).orElseThrow().isSynchronous());
  }

  @Test
  void whatIsDurableNeverDecreasesWhoeverComesAndGoes() {
    begin(Degrade.ALONE, 0, SPARE, OTHER);
    Random random = new Random(31);
    long before = 0;
    for (int step = 0; step < 20_000; step++) {
      SessionId session = random.nextBoolean() ? S1 : S2;
      WorkerId name = session.equals(S1) ? SPARE : OTHER;
      switch (random.nextInt(6)) {
        case 0 -> connected(session, name);
        case 1 -> standbys.ended(session);
        case 2, 3 -> own += random.nextInt(5);
        case 4 -> has(session, Math.max(0, own - random.nextInt(4)));
        default -> {
          clock.advance(random.nextLong(SECOND));
          var _ = standbys.tick(clock.monotonicNs());
        }
      }
      long now = standbys.durableIndex();
      assertTrue(now >= before && now <= own, "step " + step);
      before = now;
    }
    assertTrue(before > 1_000, "it goes on");
  }
}
