package io.hypersync.leader.scrub;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.leader.StubTurns;
import io.hypersync.runtime.background.BackgroundTurns;
import java.util.List;
import org.junit.jupiter.api.Test;

class ScrubScheduleTest {
  private static final ScrubReport NOTHING =
      new ScrubReport(7, 1, 1, 0, 0, 0, 0, 0, 0, 0, List.of(), true);

  private final ScrubSchedule onRequest =
      new ScrubSchedule(new ScrubPolicy(0, 1), BackgroundTurns.ALONE, 5);

  @Test
  void withoutAnIntervalItRunsOnlyWhenItIsAskedTo() {
    assertFalse(onRequest.begins(Long.MAX_VALUE));
    assertEquals(1, onRequest.ask());
    assertTrue(onRequest.isRunning());
    assertTrue(onRequest.begins(6));
    onRequest.ended(NOTHING, List.of(), 3, 9);
    assertFalse(onRequest.isRunning());
    assertFalse(onRequest.begins(10));
    assertEquals(1, onRequest.endedSoFar());
    ScrubSchedule.Result last = onRequest.last();
    assertNotNull(last);
    assertEquals(1, last.number());
    assertEquals(3, last.tookNs());
    assertEquals(2, onRequest.ask());
  }

  @Test
  void whoAsksDuringARunIsGivenThatOne() {
    assertEquals(1, onRequest.ask());
    assertEquals(1, onRequest.ask());
    assertTrue(onRequest.begins(6));
    assertEquals(1, onRequest.ask());
    assertFalse(onRequest.begins(7), "one at a time");
    onRequest.ended(NOTHING, List.of(), 0, 8);
    assertFalse(onRequest.begins(9), "nobody asks for another one");
  }

  @Test
  void anIntervalGoesFromTheEndOfARunToTheNext() {
    ScrubSchedule daily = new ScrubSchedule(new ScrubPolicy(100, 1), BackgroundTurns.ALONE, 1_000);
    assertFalse(daily.begins(1_099));
    assertTrue(daily.begins(1_100));
    daily.ended(NOTHING, List.of(), 0, 1_500);
    assertFalse(daily.begins(1_599));
    assertTrue(daily.begins(1_600));
    daily.failed("for a test", 1_700);
    assertFalse(daily.begins(1_799));
    assertTrue(daily.begins(1_800));
  }

  @Test
  void oneThatIsDueWaitsForItsTurnAndOneThatWasAskedForDoesNot() {
    StubTurns turns = new StubTurns();
    ScrubSchedule daily = new ScrubSchedule(new ScrubPolicy(100, 1), turns, 0);
    turns.isOurs = false;
    assertFalse(daily.begins(100));
    turns.isOurs = true;
    assertTrue(daily.begins(101));
    daily.putOff(102);
    assertEquals(List.of("scrub"), turns.ended);
    turns.isOurs = false;
    assertFalse(daily.begins(103));
    turns.isOurs = true;
    assertTrue(daily.begins(104), "it is due at once, not after an interval");
    assertEquals(0, daily.failedSoFar(), "nor has anything failed");
    daily.ended(NOTHING, List.of(), 1, 105);
    turns.isOurs = false;
    daily.ask();
    assertTrue(daily.begins(106));
  }

  @Test
  void whyOneWasGivenUpIsKnownUntilAnotherHasEnded() {
    onRequest.ask();
    assertTrue(onRequest.begins(6));
    onRequest.failed("no room", 7);
    assertEquals("no room", onRequest.lastFailure());
    assertEquals(1, onRequest.failedSoFar());
    assertNull(onRequest.last());
    assertEquals(
        List.of(new ScrubSchedule.Ended(1, "no room")), List.copyOf(onRequest.endedRuns()));
    for (int i = 0; i < 20; i++) {
      onRequest.ask();
      assertTrue(onRequest.begins(8));
      onRequest.ended(NOTHING, List.of(), 0, 9);
    }
    assertNull(onRequest.lastFailure());
    assertEquals(16, onRequest.endedRuns().size());
    assertEquals(21, onRequest.endedSoFar());
  }
}
