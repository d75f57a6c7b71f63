package io.hypersync.leader.placement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.fixtures.ManualClock;
import io.hypersync.model.id.WorkerId;
import io.hypersync.wire.message.LocalPressure;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Who may get agents, who gets them, and what is told of that (hypersync.md 15). */
class SchedulerTest {
  private static final WorkerId A = new WorkerId("a");
  private static final WorkerId B = new WorkerId("b");
  private static final long MS = 1_000_000;
  private static final long SECOND_NS = 1_000 * MS;
  private static final LocalPressure IDLE = new LocalPressure(10, 30, 5, 1_000, 3_000, 0);

  private final ManualClock clock = new ManualClock();
  private long entropy = 4711;
  private final Scheduler scheduler =
      new Scheduler(PlacementLimits.of(50, 200, 5), clock, () -> entropy++);

  private void seen(WorkerId worker, LocalPressure said) {
    scheduler.observed(worker, new Observation(said, 0, 0, 0, Optional.empty()));
  }

  /** Reports of this worker for so long, twice a second. */
  private void seenFor(WorkerId worker, LocalPressure said, int seconds) {
    for (int i = 0; i < 2 * seconds; i++) {
      clock.advance(SECOND_NS / 2);
      seen(worker, said);
    }
  }

  private List<String> codes(WorkerId worker) {
    return Objects.requireNonNull(scheduler.judgement(worker)).reasons().stream()
        .map(Reason::code)
        .toList();
  }

  private static LocalPressure pressure(int cpu, int memory, int lagMs, int rttMs) {
    return new LocalPressure(cpu, memory, 5, 1_000 * lagMs, 1_000 * rttMs, 0);
  }

  @ParameterizedTest
  @CsvSource({
    "84, 79, 49, 199, ''",
    "85, 79, 49, 199, cpu_utilization",
    "84, 80, 49, 199, memory_pressure",
    "84, 79, 50, 199, sync_lag",
    "84, 79, 49, 200, commit_rtt",
    "0,  1,  0,  0,   ''",
    "0,  0,  0,  0,   unknown_load", // no host uses no memory
    "-1, 30, 0,  0,   unknown_load",
    "50, -1, 0,  0,   unknown_load",
  })
  void aWorkerMustBeBelowAllLimits(int cpu, int memory, int lagMs, int rttMs, String why) {
    seen(A, pressure(cpu, memory, lagMs, rttMs));
    assertEquals(why.isEmpty() ? List.of() : List.of(why), codes(A));
    Placement decision = scheduler.place(1, "s");
    assertEquals(why.isEmpty() ? 0 : 1, decision.unplaced());
    assertEquals(why.isEmpty() ? 0 : 1, decision.excluded().size());
  }

  @Test
  void whatTheLeaderSeesCountsWhateverAWorkerSays() {
    LocalPressure said = new LocalPressure(0, 1, 0, 0, 0, 0);
    scheduler.observed(A, new Observation(said, 300 * MS, 0, 0, Optional.empty()));
    assertEquals(List.of("sync_lag"), codes(A), "50 ms beyond what reports make");
    scheduler.observed(B, new Observation(said, 0, 200 * MS, 0, Optional.empty()));
    assertEquals(List.of("sync_lag", "commit_rtt"), codes(B), "100 ms one way");
    WorkerId c = new WorkerId("c");
    scheduler.observed(c, new Observation(said, 0, 0, 64 << 20, Optional.empty()));
    assertEquals(List.of("backlog"), codes(c));
    WorkerId d = new WorkerId("d");
    scheduler.observed(d, new Observation(said, 0, 0, 0, Optional.of("its mount is read-only")));
    assertEquals(List.of("hindered"), codes(d));
    Placement decision = scheduler.place(3, "");
    assertEquals(3, decision.unplaced());
    assertEquals(4, decision.excluded().size());
  }

  @ParameterizedTest
  @ValueSource(ints = {Integer.MIN_VALUE, -1_000_000, -2, 101, Integer.MAX_VALUE})
  void numbersThatMakeNoSenseAreBrought(int number) {
    seen(A, new LocalPressure(number, number, number, number, number, number));
    Judgement judgement = Objects.requireNonNull(scheduler.judgement(A));
    assertTrue(!judgement.isStable(), judgement::toString);
    assertTrue(judgement.cost() >= 0 && judgement.cost() <= 2, judgement::toString);
    assertTrue(
        judgement.agents() >= 0 && judgement.agents() <= LocalPressure.MAX_AGENTS,
        judgement::toString);
    assertEquals(1, scheduler.place(1, "").unplaced());
  }

  @Test
  void oneThatAlwaysSaysItHasNobodyGetsNoMoreThanTheLimit() {
    int got = 0;
    for (int second = 0; second < 590; second++) {
      seenFor(A, IDLE, 1);
      got += 1 - scheduler.place(1, "").unplaced();
    }
    assertEquals(5, got);
    assertEquals(List.of("agents"), codes(A));
    seenFor(A, IDLE, 20);
    assertEquals(List.of(), codes(A), "ten minutes after the first ones");
  }

  @Test
  void promisedAgentsThatHaveComeCountOnce() {
    seen(A, IDLE);
    assertEquals(0, scheduler.place(2, "").unplaced());
    assertEquals(2, Objects.requireNonNull(scheduler.judgement(A)).agents());
    seen(A, new LocalPressure(10, 30, 5, 0, 0, 1));
    assertEquals(2, Objects.requireNonNull(scheduler.judgement(A)).agents(), "1 here, 1 promised");
    seen(A, new LocalPressure(10, 30, 5, 0, 0, 3));
    assertEquals(3, Objects.requireNonNull(scheduler.judgement(A)).agents());
  }

  @Test
  void silenceAndALostConnectionExclude() {
    assertNull(scheduler.judgement(A));
    seen(A, IDLE);
    clock.advance(1_100 * MS);
    assertEquals(List.of("silent"), codes(A));
    seen(A, IDLE);
    assertEquals(List.of("recovering"), codes(A), "nobody knows what it was meanwhile");
    scheduler.left(A);
    assertEquals(List.of("disconnected"), codes(A));
    scheduler.left(B); // was never heard
    assertNull(scheduler.judgement(B));
  }

  @Test
  void afterAnExclusionItMustBeCalmForAWhile() {
    seen(A, pressure(90, 30, 0, 0));
    assertEquals(List.of("cpu_utilization"), codes(A));
    seenFor(A, pressure(84, 30, 0, 0), 30);
    assertEquals(List.of("recovering"), codes(A), "84 of 85 is not calm");
    seenFor(A, IDLE, 10);
    assertEquals(List.of("recovering"), codes(A));
    seenFor(A, IDLE, 1);
    assertEquals(List.of(), codes(A));
  }

  @Test
  void theLessPainfulOneIsChosenAndTheEvidenceSaysWhy() {
    for (int i = 0; i < 60; i++) {
      clock.advance(SECOND_NS / 2);
      seen(A, IDLE);
      seen(B, pressure(80, 30, 1, 3));
    }
    Placement decision = scheduler.place(4, "payments");
    assertEquals(List.of(new Placement.Share(A, 4)), decision.shares());
    assertEquals("payments", decision.session());
    assertEquals(List.of(A, B), decision.candidates().stream().map(each -> each.worker()).toList());
    Placement.Candidate loaded = decision.candidates().get(1);
    assertEquals(0.3 * 80 / 85, loaded.penalties().get(Measure.CPU_UTILIZATION), 1e-9);
    assertTrue(loaded.mean() > decision.candidates().getFirst().mean());
    assertEquals(4, decision.picks().size());
    assertEquals(2, decision.picks().getFirst().sampled().size());
    assertEquals(List.of(decision), scheduler.decisions());
  }

  @Test
  void theSameSeedMakesTheSameDecision() {
    Placement one = decisionOf(1);
    assertEquals(one, decisionOf(1));
    assertTrue(!one.picks().equals(decisionOf(2).picks()));
  }

  private Placement decisionOf(long seed) {
    Scheduler fresh = new Scheduler(PlacementLimits.DEFAULT, new ManualClock(), () -> seed);
    for (WorkerId worker : List.of(A, B)) {
      fresh.observed(worker, new Observation(IDLE, 0, 0, 0, Optional.empty()));
    }
    return fresh.place(8, "");
  }

  @Test
  void evidenceIsBounded() {
    seen(A, IDLE);
    for (int i = 0; i < 100; i++) {
      Placement decision = scheduler.place(Scheduler.MOST_AGENTS, "s");
      assertTrue(decision.picks().size() <= 8);
    }
    assertEquals(32, scheduler.decisions().size());
    assertEquals(100, scheduler.decisions().getLast().number());
  }

  @Test
  void aFullWorkerGetsNoMore() {
    seen(A, IDLE);
    seen(B, IDLE);
    Placement decision = scheduler.place(20, "");
    assertEquals(10, decision.unplaced());
    assertEquals(List.of(new Placement.Share(A, 5), new Placement.Share(B, 5)), decision.shares());
    assertEquals(List.of("agents"), codes(A));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, 257, Integer.MAX_VALUE})
  void aRequestIsBounded(int count) {
    assertNotNull(assertThrows(IllegalArgumentException.class, () -> scheduler.place(count, "s")));
    assertThrows(
        IllegalArgumentException.class,
        () -> scheduler.place(1, "s".repeat(Scheduler.MOST_SESSION + 1)));
  }
}
