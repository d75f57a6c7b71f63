package io.hypersync.coordination.lease;

import static io.hypersync.coordination.lease.HostClock.SECOND;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.coordination.cas.CasException;
import io.hypersync.coordination.cas.CasRecord;
import io.hypersync.coordination.cas.MemoryCasStore;
import io.hypersync.coordination.cas.MemoryCasStore.Fault;
import io.hypersync.coordination.lease.BackgroundLease.Phase;
import io.hypersync.coordination.lease.LeaseContent.Free;
import io.hypersync.coordination.lease.LeaseContent.Held;
import io.hypersync.coordination.lease.LeaseContent.Malformed;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Who holds a lease, and when somebody else does. */
final class BackgroundLeaseTest {
  private static final String KEY = "background";
  private static final long DAY_MS = 86_400_000;

  private final MemoryCasStore store = new MemoryCasStore();
  private final List<HostClock> clocks = new ArrayList<>();
  private long runs;

  private BackgroundLease process(String name) {
    HostClock clock = new HostClock(clocks.size() * -7_777L * SECOND, DAY_MS * 1_000_000);
    clocks.add(clock);
    return new BackgroundLease(KEY, name, ++runs, LeaseTimes.DEFAULT, store, clock);
  }

  private BackgroundLease holder(String name) {
    BackgroundLease lease = process(name);
    lease.turn();
    assertTrue(lease.mayWork());
    return lease;
  }

  private void passes(long seconds) {
    clocks.forEach(clock -> clock.passes(seconds * SECOND));
  }

  /** Turns of these processes every five seconds, for so long. */
  private void turns(long seconds, BackgroundLease... processes) {
    for (long passed = 0; passed < seconds; passed += 5) {
      passes(5);
      for (BackgroundLease process : processes) {
        process.turn();
      }
    }
  }

  private void breaks(Fault fault, String... operations) {
    store.faults((operation, key) -> List.of(operations).contains(operation) ? fault : Fault.NONE);
  }

  private void mended() {
    store.faults((operation, key) -> Fault.NONE);
  }

  private long revision() throws CasException {
    return revisionOf(KEY);
  }

  private long revisionOf(String key) throws CasException {
    return store.read(key).map(CasRecord::revision).orElse(0L);
  }

  private Held held() throws CasException {
    return (Held) LeaseText.parse(store.read(KEY).orElseThrow().value());
  }

  @Test
  void nobodyHoldsItSoTheFirstOneDoes() throws Exception {
    BackgroundLease first = process("a");
    assertFalse(first.mayWork(), "it has not looked yet");
    assertEquals(LeaseTimes.DEFAULT.renewNs(), first.turn());
    assertTrue(first.mayWork());
    assertEquals(new Held("a", 1, DAY_MS), held());
    assertEquals(
        new BackgroundLease.View(Phase.HOLDING, "a", held(), revision(), ""), first.view());
  }

  @Test
  void theSecondOneWaitsAsLongAsTheFirstRenews() {
    BackgroundLease first = holder("a");
    BackgroundLease second = process("b");
    assertEquals(LeaseTimes.DEFAULT.acquireNs(), second.turn());
    turns(3600, first, second);
    assertTrue(first.mayWork());
    assertFalse(second.mayWork());
    assertEquals("a", ((Held) second.view().content()).holder());
  }

  @Test
  void aRenewalIsAnotherRevisionOfTheSameLease() throws Exception {
    BackgroundLease first = holder("a");
    Held before = held();
    long revision = revision();
    passes(10);
    first.turn();
    assertEquals(before, held(), "since when it is held");
    assertTrue(revision() > revision);
  }

  /** Worst case: TTL and a look. */
  @Test
  void whoDiesIsFollowedWhenTheLeaseHasExpired() throws Exception {
    var _ = holder("a");
    BackgroundLease second = process("b");
    second.turn();
    turns(30, second);
    assertFalse(second.mayWork(), "it lasts to the end of its time");
    turns(5, second);
    assertTrue(second.mayWork());
    assertEquals("b", held().holder());
  }

  @Test
  void whoComesLaterWaitsForTheWholeTimeAsItHasNotSeenTheRenewal() {
    var _ = holder("a");
    passes(3600);
    BackgroundLease second = process("b");
    second.turn();
    turns(30, second);
    assertFalse(second.mayWork());
    turns(5, second);
    assertTrue(second.mayWork());
  }

  @ParameterizedTest
  @CsvSource({"1000000", "-1000000"})
  void aClockOfTheDayTakesNobodysLease(long jump) {
    BackgroundLease first = holder("a");
    BackgroundLease second = process("b");
    second.turn();
    clocks.get(1).jumps(jump);
    turns(60, first, second);
    clocks.get(0).jumps(-jump);
    turns(60, first, second);
    assertTrue(first.mayWork());
    assertFalse(second.mayWork());
  }

  @Test
  void aReleasedLeaseIsTakenAtTheNextLook() throws Exception {
    BackgroundLease first = holder("a");
    BackgroundLease second = process("b");
    second.turn();
    first.release();
    assertFalse(first.mayWork());
    assertEquals(Phase.OVER, first.view().phase());
    assertArrayEquals(new byte[0], store.read(KEY).orElseThrow().value());
    second.turn();
    assertTrue(second.mayWork());
    first.turn();
    assertFalse(first.mayWork(), "it is over");
    assertEquals("b", held().holder());
  }

  @Test
  void aReleaseDoesNotStompTheSuccessor() throws Exception {
    BackgroundLease first = holder("a");
    BackgroundLease second = process("b");
    second.turn();
    turns(35, second);
    assertTrue(second.mayWork());
    first.release();
    assertEquals("b", held().holder());
    turns(10, second);
    assertTrue(second.mayWork());
  }

  @Test
  void whoHasBeenFollowedIsToldSoByItsNextRenewal() {
    BackgroundLease first = holder("a");
    BackgroundLease second = process("b");
    second.turn();
    turns(35, second);
    assertFalse(first.mayWork(), "it does not trust a lease that it has not renewed");
    first.turn();
    assertEquals(Phase.WAITING, first.view().phase());
    assertEquals("b", ((Held) first.view().content()).holder());
  }

  /** A job asks between its steps, as all jobs do. */
  @Test
  void lostRenewalEndsTheJobInProgress() {
    BackgroundLease first = holder("a");
    BackgroundLease second = process("b");
    second.turn();
    int steps = 0;
    while (first.mayWork() && steps < 1000) {
      steps++;
      passes(1);
      if (steps % 5 == 0) {
        second.turn();
      }
      assertFalse(second.mayWork(), "beside the job");
    }
    assertEquals(30, steps);
  }

  /** A machine that was asleep, in which nobody has taken the lease. */
  @Test
  void whoOverslepGoesOnIfNobodyHasTakenIt() {
    BackgroundLease first = holder("a");
    passes(3600);
    assertFalse(first.mayWork());
    first.turn();
    assertTrue(first.mayWork());
  }

  @ParameterizedTest
  @CsvSource({"NOT_DONE, false", "ANSWER_LOST, true"})
  void aRenewalThatFailsIsTriedAgainSooner(Fault fault, boolean arrives) throws Exception {
    BackgroundLease first = holder("a");
    long revision = revision();
    passes(10);
    breaks(fault, "update");
    assertEquals(LeaseTimes.DEFAULT.acquireNs(), first.turn());
    mended();
    assertEquals(arrives, revision() > revision);
    assertFalse(first.view().problem().isEmpty());
    assertTrue(first.mayWork(), "missing one is not fatal");
    passes(15);
    assertEquals(LeaseTimes.DEFAULT.renewNs(), first.turn());
    assertTrue(first.view().problem().isEmpty());
    passes(29);
    assertTrue(first.mayWork());
  }

  /** It may have arrived, and may not. So it prolongs nothing. */
  @ParameterizedTest
  @CsvSource({"NOT_DONE", "ANSWER_LOST"})
  void aRenewalWithoutAnAnswerIsNotTrusted(Fault fault) {
    BackgroundLease first = holder("a");
    breaks(fault, "update");
    turns(25, first);
    assertTrue(first.mayWork());
    turns(5, first);
    assertFalse(first.mayWork());
  }

  @Test
  void anAcquisitionWithoutAnAnswerIsFoundAtTheNextLook() throws Exception {
    BackgroundLease first = process("a");
    breaks(Fault.ANSWER_LOST, "create");
    first.turn();
    assertFalse(first.mayWork());
    assertEquals("a", held().holder());
    mended();
    first.turn();
    assertTrue(first.mayWork());
  }

  @Test
  void anAcquisitionWithoutAnAnswerIsReleasedAllTheSame() throws Exception {
    BackgroundLease first = process("a");
    breaks(Fault.ANSWER_LOST, "create");
    first.turn();
    mended();
    first.release();
    assertEquals(new Free(), LeaseText.parse(store.read(KEY).orElseThrow().value()));
  }

  @Test
  void twoThatWereGivenOneNameAreTwo() {
    BackgroundLease first = holder("same");
    BackgroundLease second = process("same");
    second.turn();
    turns(60, first, second);
    assertTrue(first.mayWork());
    assertFalse(second.mayWork());
  }

  @Test
  void aRecordThatSaysSomethingElseIsTakenWhenItHasExpired() throws Exception {
    var _ = store.create(KEY, "garbage".getBytes(StandardCharsets.UTF_8));
    BackgroundLease first = process("a");
    first.turn();
    assertEquals(new Malformed(), first.view().content());
    turns(30, first);
    assertFalse(first.mayWork());
    turns(5, first);
    assertTrue(first.mayWork());
  }

  @Test
  void aHolderWhoseRecordWasOverwrittenWaits() throws Exception {
    BackgroundLease first = holder("a");
    var _ = store.update(KEY, "garbage".getBytes(StandardCharsets.UTF_8), revision());
    first.turn();
    assertFalse(first.mayWork());
    turns(35, first);
    assertTrue(first.mayWork());
  }

  @Test
  void aRecordThatWasRemovedIsMadeAnew() throws Exception {
    BackgroundLease first = holder("a");
    store.remove(KEY);
    first.turn();
    assertFalse(first.mayWork(), "somebody else may have it by now");
    first.turn();
    assertTrue(first.mayWork());
    assertEquals("a", held().holder());
  }

  @Test
  void whoCannotReleaseIsFollowedLater() {
    BackgroundLease first = holder("a");
    BackgroundLease second = process("b");
    second.turn();
    breaks(Fault.NOT_DONE, "read", "update");
    first.release();
    assertEquals(Phase.OVER, first.view().phase());
    mended();
    turns(35, second);
    assertTrue(second.mayWork());
  }

  /** The lease is lost while its holder changes something: the write by revision finds that out. */
  @ParameterizedTest
  @CsvSource({"true", "false"})
  void ofTwoThatWorkOneSucceeds(boolean formerIsFaster) throws Exception {
    BackgroundLease former = holder("a");
    BackgroundLease next = process("b");
    next.turn();
    long read = store.create("result", new byte[0]).orElseThrow();
    assertTrue(former.mayWork(), "and then its thread is stopped");
    turns(35, next);
    assertTrue(next.mayWork());
    long readByNext = revisionOf("result");
    boolean early = formerIsFaster && write("a", read);
    boolean ofNext = write("b", readByNext);
    boolean late = !formerIsFaster && write("a", read);
    assertEquals(formerIsFaster, early);
    assertEquals(!formerIsFaster, ofNext);
    assertFalse(late);
  }

  private boolean write(String value, long read) throws CasException {
    return store.update("result", value.getBytes(StandardCharsets.UTF_8), read).isPresent();
  }

  @ParameterizedTest
  @CsvSource({"0, 1, 1", "30, 0, 5", "30, 10, 0", "30, 16, 5", "30, 14, 17", "-1, 10, 5"})
  void timesThatLeaveNoRoomForASecondAttemptAreRefused(long ttl, long renew, long acquire) {
    assertThrows(
        IllegalArgumentException.class,
        () -> new LeaseTimes(ttl * SECOND, renew * SECOND, acquire * SECOND));
  }
}
