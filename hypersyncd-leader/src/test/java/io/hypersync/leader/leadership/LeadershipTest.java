package io.hypersync.leader.leadership;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.leader.leadership.ClaimContent.Held;
import io.hypersync.leader.leadership.Leadership.Phase;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who leads a workspace on a host, and when somebody else does. */
final class LeadershipTest {
  private static final long LEADER = 100;
  private static final long OTHER = 200;

  private final SimulatedHost host = new SimulatedHost();

  private Leadership leader() {
    Leadership leader = host.process("leader", LEADER);
    assertEquals(Phase.LEADING, leader.refresh());
    return leader;
  }

  @Test
  void nobodyLeadsSoTheFirstOneDoes() {
    Leadership first = host.process("first", LEADER);
    assertFalse(first.isLeader(), "it has not looked yet");
    assertEquals(Phase.LEADING, first.refresh());
    assertTrue(first.isLeader());
    assertEquals("first", ((Held) host.content()).claim().instance());
    assertEquals(LEADER, ((Held) host.content()).claim().pid());
  }

  @Test
  void theSecondOneObservesAsLongAsTheFirstIsAtWork() {
    Leadership leader = leader();
    Leadership other = host.process("other", OTHER);
    host.turns(3600, leader, other);
    assertTrue(leader.isLeader());
    assertFalse(other.isLeader());
  }

  @Test
  void anObserverTakesTheClaimOfADeadProcessAtItsNextTurn() {
    var _ = leader();
    Leadership other = host.process("other", OTHER);
    assertEquals(Phase.OBSERVING, other.refresh());
    host.dies(LEADER);
    assertEquals(Phase.LEADING, other.refresh());
  }

  @Test
  void anObserverTakesAReleasedClaimAtItsNextTurn() throws ClaimException {
    Leadership leader = leader();
    Leadership other = host.process("other", OTHER);
    assertEquals(Phase.OBSERVING, other.refresh());
    leader.release();
    assertEquals("", host.text(), "emptied");
    assertFalse(leader.isLeader());
    assertEquals(Phase.LEADING, other.refresh());
  }

  @Test
  void aPidThatIsAnotherProcessesByNowIsFoundOut() {
    var _ = leader(); // and is killed; another process has its pid at once
    Leadership other = host.process("other", OTHER);
    assertEquals(Phase.OBSERVING, host.turns(10, other));
    assertEquals(Phase.LEADING, host.turns(5, other));
  }

  @ParameterizedTest
  @ValueSource(longs = {-86_400, 86_400})
  void nobodyIsRobbedBecauseTheClockOfTheHostIsSet(long seconds) {
    Leadership leader = leader();
    Leadership other = host.process("other", OTHER);
    assertEquals(Phase.OBSERVING, other.refresh());
    host.clockJumps(seconds);
    assertEquals(Phase.OBSERVING, other.refresh());
    assertTrue(leader.isLeader());
    host.turns(60, leader, other);
    assertTrue(leader.isLeader());
  }

  @Test
  void aLeaderThatWasStoppedLongEnoughToBeFollowedDoesNotAct() {
    Leadership leader = leader();
    Leadership other = host.process("other", OTHER);
    host.turns(15, other);
    assertTrue(other.isLeader());
    assertFalse(leader.isLeader(), "without a turn of its timer");
    assertEquals(
        "instance other, pid 200, has taken the claim", leader.lostBecause().orElseThrow());
  }

  @Test
  void neitherDoesOneWhoseSuccessorHasComeAndGone() throws ClaimException {
    Leadership leader = leader();
    Leadership other = host.process("other", OTHER);
    host.turns(15, other);
    other.release();
    assertFalse(leader.isLeader(), "the state may have been changed meanwhile");
  }

  @Test
  void aLeaderThatWasStoppedAndNotFollowedGoesOn() {
    Leadership leader = leader();
    host.passes(3600);
    assertTrue(leader.isLeader());
  }

  /** The observer's clock starts behind the refresh, the leader's before it. */
  @Test
  void atNoMomentDoBothAct() {
    for (long observedAfter = 0; observedAfter < 12; observedAfter++) {
      SimulatedHost one = new SimulatedHost();
      Leadership leader = one.process("leader", LEADER);
      leader.refresh();
      Leadership other = one.process("other", OTHER);
      one.passes(observedAfter);
      for (int second = 0; second < 40; second++) {
        other.refresh();
        assertFalse(
            other.phase() == Phase.LEADING && leader.isLeader(), "both, " + second + " s later");
        one.passes(1);
      }
    }
  }

  @Test
  void aReleaseLeavesTheClaimOfASuccessorAlone() throws ClaimException {
    Leadership leader = leader();
    Leadership other = host.process("other", OTHER);
    host.turns(15, other);
    leader.release();
    assertTrue(other.isLeader());
    assertEquals("other", ((Held) host.content()).claim().instance());
  }

  @Test
  void aNameThatTwoProcessesWereGivenByMistakeMakesNoTwoLeaders() {
    Leadership leader = host.process("same", LEADER);
    assertEquals(Phase.LEADING, leader.refresh());
    Leadership other = host.process("same", OTHER);
    host.turns(60, leader, other);
    assertTrue(leader.isLeader());
    assertFalse(other.isLeader());
  }

  @Test
  void oneThatIsStartedAgainWithTheNameThatItWasGivenLeadsAtOnce() {
    Leadership before = host.process("given", LEADER);
    before.refresh();
    host.dies(LEADER);
    assertEquals(Phase.LEADING, host.process("given", OTHER).refresh());
  }

  @ParameterizedTest
  @ValueSource(strings = {"garbage", "\n", "hypersync-claim: 1\n", "{\"pid\": 1}\n", "\0\0\0\0"})
  void garbageIsNobodysClaimUntilNobodyMendsIt(String garbage) {
    host.write(garbage);
    Leadership other = host.process("other", OTHER);
    assertEquals(Phase.OBSERVING, host.turns(10, other), "cannot tell: does not lead");
    assertEquals(Phase.LEADING, host.turns(5, other));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "garbage"})
  void aLeaderMendsItsClaimInTime(String text) {
    Leadership leader = leader();
    host.passes(5);
    host.write(text);
    assertEquals(Phase.LEADING, leader.refresh());
    assertEquals("leader", ((Held) host.content()).claim().instance());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "garbage"})
  void aClaimThatWasLostTooLongAgoIsNotMended(String text) {
    Leadership leader = leader();
    host.write(text);
    host.passes(11);
    assertFalse(leader.isLeader());
    assertEquals(
        "its claim is gone, and was not refreshed in time", leader.lostBecause().orElseThrow());
  }

  @Test
  void whoCannotReadTheClaimDoesNotLead() {
    host.breaks("no space left");
    Leadership other = host.process("other", OTHER);
    assertEquals(Phase.OBSERVING, host.turns(60, other));
    assertEquals("no space left", other.view().problem());
    host.breaks("");
    assertEquals(Phase.LEADING, other.refresh());
    assertEquals("", other.view().problem());
  }

  @Test
  void whoCannotRefreshItsClaimLeadsForTenSecondsMore() {
    Leadership leader = leader();
    host.breaks("no space left");
    host.passes(9);
    assertEquals(Phase.LEADING, leader.refresh());
    assertTrue(leader.isLeader());
    host.passes(1);
    assertFalse(leader.isLeader());
    assertEquals(
        "its claim cannot be refreshed: no space left", leader.lostBecause().orElseThrow());
  }

  @Test
  void whatWasLostOnceIsNotHadAgainByTheSameLeadership() {
    Leadership leader = leader();
    host.write(new Claim("other", OTHER, 0, 0, ""));
    assertEquals(Phase.OVER, leader.refresh());
    host.write("");
    assertEquals(Phase.OVER, host.turns(60, leader));
    assertEquals("", host.text());
  }

  @Test
  void whoAsksGetsTheClaimWhenTheLeaderHasStopped() throws ClaimException {
    Leadership leader = leader();
    Leadership other = host.process("other", OTHER);
    other.ask();
    other.refresh();
    assertTrue(leader.isLeader(), "until it looks");
    assertEquals(Phase.OVER, leader.refresh());
    assertEquals("instance other has asked for the claim", leader.lostBecause().orElseThrow());
    assertEquals(Phase.OBSERVING, other.refresh(), "the leader may still be stopping");
    leader.release();
    assertEquals(Phase.LEADING, other.refresh());
  }

  @Test
  void askingDoesNotKeepADeadLeadersClaimFresh() {
    var _ = leader(); // and its pid is another process's
    Leadership other = host.process("other", OTHER);
    Leadership third = host.process("third", 300);
    other.ask();
    third.ask();
    host.turns(15, other, third);
    assertTrue(other.isLeader() || third.isLeader());
  }

  @Test
  void whoHasGivenTheClaimAwayLetsOthersTakeItFirst() {
    Leadership given =
        new Leadership(
            "given", LEADER, host, host, host, host.monotonicNs() + 10 * SimulatedHost.SECOND);
    assertEquals(Phase.OBSERVING, host.turns(5, given));
    assertEquals(Phase.LEADING, host.turns(5, given));
  }

  @Test
  void aLossIsToldOnce() {
    List<String> told = new ArrayList<>();
    Leadership leader = leader();
    leader.onLost(told::add);
    host.write(new Claim("other", OTHER, 0, 0, ""));
    leader.refresh();
    leader.refresh();
    assertEquals(List.of("instance other, pid 200, has taken the claim"), told);
    leader.onLost(told::add);
    assertEquals(2, told.size(), "whoever asks later is told at once");
  }

  @Test
  void aReleaseIsNoLoss() throws ClaimException {
    List<String> told = new ArrayList<>();
    Leadership leader = leader();
    leader.onLost(told::add);
    leader.release();
    leader.refresh();
    assertEquals(List.of(), told);
    assertTrue(leader.lostBecause().isEmpty());
  }

  @Test
  void aClaimIsReadAsItWasWritten() {
    Claim claim = new Claim("4711-9f", 4711, 1_795_843_200_000L, 12, "x y");
    ClaimContent content = new Held(claim);
    assertEquals(content, ClaimText.parse(ClaimText.of(content)));
    assertEquals(
        """
        hypersync-claim: 1
        instance: 4711-9f
        pid: 4711
        claimed_at_ms: 1795843200000
        beats: 12
        wanted_by: x y
        """,
        ClaimText.of(content));
  }

  @Test
  void noClaimIsReadOutOfAnotherText() {
    String good = ClaimText.of(new Held(new Claim("i", 1, 2, 3, "")));
    for (String bad :
        List.of(
            good.replace("claim: 1", "claim: 2"),
            good.replace("instance: i", "instance: "),
            good.replace("instance: i", "instance: " + "i".repeat(129)),
            good.replace("instance: i", "instance: \u001b[2J"),
            good.replace("pid: 1", "pid: 0"),
            good.replace("pid: 1", "pid: 99999999999999999999"),
            good.replace("beats: 3", "beats: -1"),
            good + "more: 1\n",
            good.substring(1),
            good.stripTrailing(),
            "x".repeat(ClaimText.MAX_BYTES + 1))) {
      assertTrue(ClaimText.parse(bad) instanceof ClaimContent.Malformed, bad);
    }
  }
}
