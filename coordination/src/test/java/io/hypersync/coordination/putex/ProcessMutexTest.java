package io.hypersync.coordination.putex;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every arrow of the diagram of process-mutex.md, and the times and rules around it. */
class ProcessMutexTest {
  private static final long MS = 1_000_000L;

  /** R = 1 s, F = 3, C = 2. */
  private static final PutexTiming TIMING = new PutexTiming(1_000 * MS, 3, 2);

  /** The lock was free at revision 4: taken at 5, and the service runs. */
  private static final String ACTIVE = "free:4 pass written:5 pass";

  /** Another agent's lock was waited for, until the check before it is taken. */
  private static final String ABANDONED =
      "found:b:7 pass pass found:b:7 found:b:7 found:b:7 found:b:7";

  private final Driver driver = new Driver(TIMING);

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          # what happened before                    | then       | the arrow
          # GetLock -> Empty?
                                                    | free:4     | GET_LOCK SUNNY_CHECK
          free:4 pass written:5 pass                | found:me:5 | GET_LOCK SUNNY_CHECK
                                                    | unknown    | GET_LOCK SUNNY_CHECK
                                                    | found:b:7  | GET_LOCK WAIT_KILL
                                                    | absent     | GET_LOCK WAIT_KILL
                                                    | found:me:5 | GET_LOCK WAIT_KILL
          # WaitKill -> HCWait; at once to HCWrite if nobody says who runs
          found:b:7                                 | pass       | WAIT_KILL WAIT_CHECK
          found:b:7                                 | fail       | WAIT_KILL WAIT_CHECK
          absent                                    | pass       | WAIT_KILL WRITE_CHECK
          found:me:5                                | pass       | WAIT_KILL WRITE_CHECK
          # HCWait -> Success?
          found:b:7 pass                            | pass       | WAIT_CHECK WAIT_TAKEOVER
          found:b:7 pass                            | fail       | WAIT_CHECK WAIT_R
          # WaitFR, in intervals of R
          found:b:7 pass pass                       | wait       | WAIT_TAKEOVER LOOK
          found:b:7 pass pass                       | found:b:7  | LOOK WAIT_TAKEOVER
          found:b:7 pass pass                       | found:b:8  | LOOK WAIT_R
          found:b:7 pass pass                       | free:8     | LOOK WAIT_R
          found:b:7 pass pass                       | absent     | LOOK WAIT_R
          found:b:7 pass pass                       | unknown    | LOOK WAIT_R
          found:b:7 pass pass found:b:7 found:b:7 found:b:7 | found:b:7 | LOOK WRITE_CHECK
          # HCWrite -> Success?
          absent pass                               | pass       | WRITE_CHECK WRITE
          absent pass                               | fail       | WRITE_CHECK WAIT_R
          # Write -> Success?
          absent pass pass                          | written:1  | WRITE CONFIRM_WAIT
          absent pass pass                          | refused    | WRITE WAIT_R
          absent pass pass                          | unknown    | WRITE WAIT_R
          # WriteWaitCR
          absent pass pass written:1                | wait       | CONFIRM_WAIT CONFIRM_WRITE
          absent pass pass written:1                | written:2  | CONFIRM_WRITE CONFIRM_WAIT
          absent pass pass written:1                | refused    | CONFIRM_WRITE WAIT_R
          absent pass pass written:1                | unknown    | CONFIRM_WRITE WAIT_R
          absent pass pass written:1 written:2 written:3 written:4 written:5 written:6 | wait | CONFIRM_WAIT WAIT_R
          # HCSunnyLoop -> Success?
          free:4                                    | pass       | SUNNY_CHECK SUNNY_WRITE
          free:4                                    | fail       | SUNNY_CHECK ABORT_KILL
          unknown                                   | pass       | SUNNY_CHECK SUNNY_READ
          # Renew lock: may attempt for up to F*R
          free:4 pass                               | written:5  | SUNNY_WRITE SUNNY_START
          free:4 pass                               | refused    | SUNNY_WRITE ABORT_KILL
          free:4 pass                               | unknown    | SUNNY_WRITE SUNNY_PAUSE
          free:4 pass unknown                       | wait       | SUNNY_PAUSE SUNNY_READ
          free:4 pass unknown                       | free:4     | SUNNY_READ SUNNY_WRITE
          free:4 pass unknown                       | found:me:5 | SUNNY_READ SUNNY_WRITE
          free:4 pass unknown                       | unknown    | SUNNY_READ SUNNY_PAUSE
          free:4 pass unknown                       | found:b:5  | SUNNY_READ ABORT_KILL
          free:4 pass unknown                       | absent     | SUNNY_READ ABORT_KILL
          free:4 pass                               | unknown+3000 | SUNNY_WRITE ABORT_KILL
          free:4 pass unknown                       | unknown+3000 | SUNNY_READ ABORT_KILL
          free:4 pass unknown free:4                | refused    | SUNNY_WRITE SUNNY_PAUSE
          unknown pass                              | free:4     | SUNNY_READ SUNNY_WRITE
          unknown pass                              | found:b:7  | SUNNY_READ ABORT_KILL
          unknown pass                              | found:me:7 | SUNNY_READ ABORT_KILL
          # SunnyStartProcess -> WaitR
          free:4 pass written:5                     | pass       | SUNNY_START WAIT_R
          free:4 pass written:5                     | fail       | SUNNY_START WAIT_R
          # SunnyLoopAbort, SunnyKill -> WaitR: stopped first, then freed
          free:4 fail                               | pass       | ABORT_KILL WAIT_R
          free:4 pass written:5 pass found:me:5 fail | pass      | ABORT_KILL ABORT_BLANK
          free:4 pass written:5 pass found:me:5 fail | fail      | ABORT_KILL WAIT_R
          free:4 pass written:5 pass found:me:5 fail pass | written:6 | ABORT_BLANK WAIT_R
          free:4 pass written:5 pass found:me:5 fail pass | refused   | ABORT_BLANK WAIT_R
          free:4 pass written:5 pass found:me:5 fail pass | unknown   | ABORT_BLANK WAIT_R
          # End -> Back to start
          free:4 fail pass                          | wait       | WAIT_R GET_LOCK
          """)
  void everyArrow(String before, String then, String arrow) {
    if (before != null) {
      driver.give(before);
    }
    driver.give(then);
    assertEquals(arrow, driver.arrows.getLast());
  }

  @Test
  void aFreeLockIsTakenByItsRevisionAndStartedAtOnce() {
    driver.give("free:4 pass");
    assertEquals(new Step.Write(Driver.ME, OptionalLong.of(4), TIMING.renewalNs()), driver.step());
    long sentNs = driver.nowNs;
    driver.give("written:5");
    Step.Start start = assertInstanceOf(Step.Start.class, driver.step());
    assertEquals(5, start.revision(), "of the record that it has just written");
    assertTrue(start.fence());
    assertEquals(sentNs + TIMING.trustNs(), start.untilNs());
    assertTrue(driver.mutex.mayRun());
  }

  @Test
  void othersAreFencedOnceAndTheStartIsRepeatedWithALaterTime() {
    driver.give("free:4 pass written:5");
    long first = ((Step.Start) driver.step()).untilNs();
    driver.give("pass found:me:5 pass written:6");
    Step.Start again = (Step.Start) driver.step();
    assertFalse(again.fence());
    assertTrue(again.untilNs() - first >= TIMING.renewalNs());
  }

  /** Nobody knows whether the others are fenced. */
  @Test
  void aStartThatHasFailedIsNotRepeatedWithoutAFence() {
    driver.give("free:4 pass written:5 fail found:me:5 pass written:6");
    assertTrue(((Step.Start) driver.step()).fence());
    driver.give("pass found:me:6 pass written:7");
    assertFalse(((Step.Start) driver.step()).fence());
  }

  @Test
  void anotherAgentsLockIsTakenAfterPatienceAndConfirmedForCIntervals() {
    long begunNs = driver.nowNs;
    driver.give(ABANDONED + " pass");
    assertTrue(driver.nowNs - begunNs >= TIMING.patienceNs());
    assertEquals(new Step.Write(Driver.ME, OptionalLong.of(7), TIMING.renewalNs()), driver.step());
    driver.give("written:8");
    long takenNs = driver.nowNs;
    driver.give("written:9 found:me:9 pass written:10");
    assertInstanceOf(Step.Start.class, driver.step());
    assertTrue(driver.nowNs - takenNs >= TIMING.stopLimitNs());
  }

  @ParameterizedTest
  @ValueSource(strings = {"absent", "found:me:5"})
  void aRecordThatSaysNothingOfWhoRunsIsHeldForPatienceAndC(String record) {
    driver.give(record + " pass pass");
    OptionalLong replaced = record.equals("absent") ? OptionalLong.empty() : OptionalLong.of(5);
    assertEquals(new Step.Write(Driver.ME, replaced, TIMING.renewalNs()), driver.step());
    driver.give("written:6");
    long takenNs = driver.nowNs;
    driver.give("written:7 written:8 written:9 written:10 written:11 found:me:11 pass written:12");
    assertInstanceOf(Step.Start.class, driver.step());
    assertTrue(driver.nowNs - takenNs >= TIMING.patienceNs() + TIMING.stopLimitNs());
  }

  @Test
  void aHolderWhoseStoreIsGoneStopsWhenItsTrustIsOver() {
    driver.give(ACTIVE);
    long untilNs = driver.mutex.trustedUntilNs();
    driver.give("unknown+1000 pass");
    while (driver.state() != State.ABORT_KILL) {
      driver.give(driver.step() instanceof Step.Wait ? "wait" : "unknown");
    }
    assertTrue(driver.nowNs >= untilNs - TIMING.renewalNs() / 10, "as long as it may");
    assertTrue(driver.nowNs <= untilNs + 2 * MS, "and no longer");
  }

  @Test
  void aCheckIsGivenNoMoreThanTheTrustThatIsLeft() {
    driver.give(ACTIVE + " found:me:5");
    Step.Check check = (Step.Check) driver.step();
    assertTrue(check.active());
    assertEquals(
        Math.min(TIMING.checkLimitNs(), driver.mutex.trustedUntilNs() - driver.nowNs),
        check.limitNs());
    driver.give("pass+100 written:6 pass unknown+1000");
    check = (Step.Check) driver.step();
    assertEquals(driver.mutex.trustedUntilNs() - driver.nowNs, check.limitNs());
  }

  @Test
  void aStandbysCheckIsToldSo() {
    driver.give("found:b:7 pass");
    assertEquals(new Step.Check(false, TIMING.checkLimitNs()), driver.step());
  }

  /** The example of process-mutex.md: R = 1 s, F = 3, and a check of 2 s. */
  @Test
  void aCheckThatIsSlowButNotTooSlowIsToldAndNoFailOver() {
    driver.give(ACTIVE + " found:me:5 pass+2000 written:6");
    assertEquals(List.of(2_000L), driver.slowChecksMs);
    assertInstanceOf(Step.Start.class, driver.step());
  }

  @Test
  void aCheckThatTakesLongerThanFIntervalsIsAFailOver() {
    driver.give(ACTIVE + " found:me:5");
    assertTrue(((Step.Check) driver.step()).limitNs() <= TIMING.checkLimitNs());
    driver.give("fail+3000");
    assertEquals(State.ABORT_KILL, driver.state());
    assertEquals(new Step.Stop(TIMING.stopLimitNs()), driver.step());
  }

  @Test
  void aStrokeTakesRAtLeast() {
    long begunNs = driver.nowNs;
    driver.give(ACTIVE + " wait");
    assertEquals(State.GET_LOCK, driver.state());
    assertEquals(begunNs + TIMING.renewalNs(), driver.nowNs);
  }

  @Test
  void theLockIsFreedOnceAfterTheServiceHasStopped() {
    driver.give(ACTIVE + " found:me:5 fail");
    assertInstanceOf(Step.Stop.class, driver.step());
    driver.give("pass");
    assertFalse(driver.mutex.mayRun());
    assertEquals(new Step.Write("", OptionalLong.of(5), TIMING.renewalNs()), driver.step());
    driver.give("unknown");
    assertInstanceOf(Step.Wait.class, driver.step(), "one attempt");
  }

  @Test
  void aServiceThatDoesNotStopKeepsTheLockAndIsStoppedAgain() {
    driver.give(ACTIVE + " found:me:5 fail fail");
    assertTrue(driver.mutex.mayRun());
    driver.stopped(5_000).give("wait");
    assertInstanceOf(Step.Stop.class, driver.step());
    driver.give("fail");
    Step.Wait wait = assertInstanceOf(Step.Wait.class, driver.step(), "not in a hurry");
    assertTrue(wait.untilNs() > driver.nowNs);
  }

  @Test
  void anAgentThatWasStoppedForTooLongStopsItsServiceFirst() {
    driver.give(ACTIVE).stopped(5_000).give("wait");
    assertEquals(State.ABORT_KILL, driver.state());
  }

  @Test
  void anAgentThatWasStoppedBeforeItTakesTheLockReadsItAgain() {
    driver.give(ABANDONED).stopped(5_000).give("pass");
    assertEquals(State.WAIT_R, driver.state());
  }

  @Test
  void aWriteThatIsAnsweredTooLateIsNotBelieved() {
    driver.give("free:4 pass written:5+5000");
    assertEquals(State.ABORT_KILL, driver.state());
    assertFalse(driver.mutex.mayRun());
    Driver other = new Driver(TIMING);
    other.give(ABANDONED + " pass written:8+5000");
    assertEquals(State.WAIT_R, other.state());
  }

  @Test
  void aTokenThatSomebodyElseWritesIsToldAndTheServiceStopped() {
    driver.give(ACTIVE + " found:me:9");
    assertEquals(1, driver.tokenInUse);
    assertEquals(State.WAIT_KILL, driver.state());
    driver.give("pass pass");
    assertEquals(State.WAIT_TAKEOVER, driver.state(), "like any other agent's");
  }

  @Test
  void aTakeoverWithoutAnAnswerIsConfirmedFromTheBeginning() {
    driver.give(ABANDONED + " pass unknown found:me:8 pass pass written:9");
    long takenNs = driver.nowNs;
    driver.give(
        "written:10 written:11 written:12 written:13 written:14 found:me:14 pass written:15");
    assertTrue(driver.nowNs - takenNs >= TIMING.patienceNs() + TIMING.stopLimitNs());
  }

  @Test
  void whoLeavesStopsTheServiceAndFreesTheLock() {
    driver.give(ACTIVE);
    driver.mutex.leave();
    driver.give("wait");
    assertEquals(State.LEAVE_KILL, driver.state());
    driver.give("pass");
    assertEquals(new Step.Write("", OptionalLong.of(5), TIMING.renewalNs()), driver.step());
    driver.give("written:6");
    assertEquals(new Step.End(), driver.step());
  }

  @Test
  void whoLeavesBeforeItIsConfirmedFreesNothing() {
    driver.give(ABANDONED + " pass written:8");
    driver.mutex.leave();
    driver.give("wait pass");
    assertEquals(State.LEFT, driver.state());
  }

  @Test
  void timesThatMakeNoSenseAreRefused() {
    assertThrows(IllegalArgumentException.class, () -> new PutexTiming(99 * MS, 3, 1));
    assertThrows(IllegalArgumentException.class, () -> new PutexTiming(1_000 * MS, 0, 1));
    assertThrows(IllegalArgumentException.class, () -> new PutexTiming(1_000 * MS, 3, 0));
    assertThrows(IllegalArgumentException.class, () -> new PutexTiming(1_000 * MS, 1_001, 1));
    // A renewal is to be relied on for longer than a check may take.
    assertThrows(IllegalArgumentException.class, () -> new PutexTiming(1_000 * MS, 400, 99));
    PutexTiming most = new PutexTiming(1_000 * MS, 400, 98);
    assertTrue(most.trustNs() > most.checkLimitNs(), most::toString);
    assertThrows(
        IllegalArgumentException.class, () -> new ProcessMutex("", TIMING, new Driver(TIMING)));
  }
}
