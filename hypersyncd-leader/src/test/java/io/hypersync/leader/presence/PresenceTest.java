package io.hypersync.leader.presence;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.fixtures.ManualClock;
import io.hypersync.leader.presence.PresenceEvent.Kind;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.wire.message.SessionGrant;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Leases of workers, and the tokens by which they take up their sessions. */
class PresenceTest {
  private static final long S = 1_000_000_000L;
  private static final WorkspaceId WORKSPACE = new WorkspaceId(1, 2);
  private static final WorkerId A = new WorkerId("a");
  private static final WorkerId B = new WorkerId("b");
  private static final ClientId RUN = new ClientId(1, 1);
  private static final ClientId NEXT_RUN = new ClientId(1, 2);
  private static final ResumeKey KEY = ResumeKey.generate();

  private final ManualClock clock = new ManualClock(1_000_000 * S);
  private final Random random = new Random(1);
  private Presence presence = leader(KEY);

  private Presence leader(ResumeKey key) {
    return new Presence(WORKSPACE, 90 * S, key, clock, random::nextLong);
  }

  /** A Hello that is accepted. */
  private SessionGrant hello(WorkerId worker, ClientId run, String token) {
    OptionalLong resumes = presence.resumes(worker, token);
    return presence.arrived(worker, run, "10.0.0.1:9", resumes);
  }

  private List<Kind> told() {
    return presence.events().after(0).stream()
        .map(PresenceEvent::kind)
        .filter(Kind::isSeenByAll)
        .toList();
  }

  private void after(long seconds) {
    clock.advance(seconds * S);
    var _ = presence.tick(clock.monotonicNs());
  }

  @Test
  void aShortCutIsNotSeenByOthers() {
    SessionGrant first = hello(A, RUN, "");
    presence.offline(A, "cut");
    after(89);
    assertFalse(presence.peers().getFirst().isOnline());
    SessionGrant second = hello(A, RUN, first.token());
    assertTrue(second.resumed());
    assertEquals(first.session(), second.session());
    assertTrue(presence.peers().getFirst().isOnline());
    assertEquals(1, presence.peers().getFirst().resumes());
    assertEquals(List.of(Kind.WORKER_JOINED), told());
  }

  @Test
  void whoIsAwayForTooLongHasLeftOnceAndJoinsOnce() {
    SessionGrant first = hello(A, RUN, "");
    presence.offline(A, "cut");
    after(90);
    after(30);
    assertEquals(List.of(Kind.WORKER_JOINED, Kind.WORKER_LEFT), told());
    assertEquals(List.of(), presence.peers());
    SessionGrant second = hello(A, RUN, first.token());
    assertFalse(second.resumed());
    assertNotEquals(first.session(), second.session());
    assertEquals(List.of(Kind.WORKER_JOINED, Kind.WORKER_LEFT, Kind.WORKER_JOINED), told());
  }

  /** Nobody has called tick meanwhile: the Hello itself sees that the lease is over. */
  @Test
  void aLeaseEndsByTimeAndNotByALook() {
    SessionGrant first = hello(A, RUN, "");
    presence.offline(A, "cut");
    clock.advance(90 * S);
    assertFalse(hello(A, RUN, first.token()).resumed());
    assertEquals(1, presence.count(ResumeVerdict.SESSION_OVER));
    assertEquals(List.of(Kind.WORKER_JOINED, Kind.WORKER_LEFT, Kind.WORKER_JOINED), told());
  }

  @Test
  void aWorkerThatStartsAgainHasLeftAndJoins() {
    hello(A, RUN, "");
    presence.offline(A, "killed");
    hello(A, NEXT_RUN, "");
    assertEquals(List.of(Kind.WORKER_JOINED, Kind.WORKER_LEFT, Kind.WORKER_JOINED), told());
  }

  @Test
  void aRunThatHasLostItsTokenGoesOnWithItsLease() {
    SessionGrant first = hello(A, RUN, "");
    presence.offline(A, "cut");
    SessionGrant second = hello(A, RUN, "");
    assertFalse(second.resumed());
    assertEquals(first.session(), second.session());
    assertEquals(List.of(Kind.WORKER_JOINED), told());
  }

  @Test
  void aLeaseHasNoEndWhileTheWorkerIsOnlineAndItsTokensAreRenewed() {
    String token = hello(A, RUN, "").token();
    for (int i = 0; i < 100; i++) {
      clock.advance(30 * S);
      List<Presence.Renewal> renewals = presence.tick(clock.monotonicNs());
      assertEquals(1, renewals.size());
      token = renewals.getFirst().token();
      assertEquals(List.of(), presence.tick(clock.monotonicNs()));
    }
    clock.advance(30 * S - 1); // the next token has not come yet
    presence.offline(A, "cut");
    clock.advance(90 * S - 1);
    assertTrue(hello(A, RUN, token).resumed());
    assertEquals(List.of(Kind.WORKER_JOINED), told());
  }

  /** A signature takes milliseconds of the event loop, and whoever comes back is waited for. */
  @Test
  void whoComesBackGetsTheTokenThatItHasHadAsLongAsThatIsGoodForALease() {
    String first = hello(A, RUN, "").token();
    presence.offline(A, "cut");
    clock.advance(30 * S - 1);
    assertEquals(first, hello(A, RUN, first).token());
    clock.advance(1);
    String second = hello(A, RUN, first).token();
    assertNotEquals(first, second, "the first one might be over before the next lease is");
    presence.offline(A, "cut");
    clock.advance(10 * S);
    assertTrue(hello(A, RUN, first).resumed(), "which is still a token of this session");
    assertEquals(3, presence.count(ResumeVerdict.VALID));
  }

  @Test
  void aTokenThatIsSignedElsewhereIsTakenWhenItIsReady() {
    List<Runnable> signing = new ArrayList<>();
    presence.signWith(signing::add);
    String first = hello(A, RUN, "").token();
    assertEquals(List.of(), signing, "the first one is in the Welcome");
    clock.advance(30 * S);
    assertEquals(List.of(), presence.tick(clock.monotonicNs()));
    assertEquals(List.of(), presence.tick(clock.monotonicNs()));
    assertEquals(1, signing.size(), "asked for once");
    signing.removeFirst().run();
    String second = presence.tick(clock.monotonicNs()).getFirst().token();
    assertNotEquals(first, second);
    presence.offline(A, "cut");
    assertTrue(hello(A, RUN, second).resumed());
    assertTrue(hello(A, RUN, first).resumed(), "whose successor may have got lost");
  }

  @Test
  void aTokenThatIsReadyWhenItsSessionIsOverIsNobodys() {
    List<Runnable> signing = new ArrayList<>();
    presence.signWith(signing::add);
    hello(A, RUN, "");
    hello(B, RUN, "");
    clock.advance(30 * S);
    var _ = presence.tick(clock.monotonicNs());
    var _ = presence.tick(clock.monotonicNs());
    assertEquals(2, signing.size());
    String next = hello(A, NEXT_RUN, "").token();
    presence.offline(B, "cut");
    signing.forEach(Runnable::run);
    assertEquals(List.of(), presence.tick(clock.monotonicNs()), "nobody is there to be told");
    assertEquals(next, hello(A, NEXT_RUN, next).token());
    clock.advance(10 * S);
    SessionGrant back = hello(B, RUN, "");
    assertTrue(hello(B, RUN, back.token()).resumed(), "it gets the new one in its Welcome");
  }

  @Test
  void aTokenOfAnotherWorkerIsNotTaken() {
    hello(A, RUN, "");
    SessionGrant other = hello(B, RUN, "");
    presence.offline(A, "cut");
    assertEquals(OptionalLong.empty(), presence.resumes(A, other.token()));
    assertEquals(1, presence.count(ResumeVerdict.OTHER_WORKER));
  }

  @Test
  void aForgedTokenIsNotTaken() {
    SessionGrant real = hello(A, RUN, "");
    String[] parts = real.token().split("\\.", -1);
    byte[] payload = Base64.getUrlDecoder().decode(parts[2]);
    String said = new String(payload, StandardCharsets.US_ASCII);
    String later =
        Base64.getUrlEncoder()
            .withoutPadding()
            .encodeToString(
                said.replaceAll("\"exp\":\\d+", "\"exp\":999999999999999")
                    .getBytes(StandardCharsets.US_ASCII));
    String forged = parts[0] + "." + parts[1] + "." + later + "." + parts[3];
    assertEquals(OptionalLong.empty(), presence.resumes(A, forged));
    assertEquals(1, presence.count(ResumeVerdict.FORGED));
    presence = leader(ResumeKey.generate());
    assertEquals(OptionalLong.empty(), presence.resumes(A, real.token()));
    assertEquals(1, presence.count(ResumeVerdict.FORGED));
  }

  @Test
  void whatIsNoTokenIsNotTaken() {
    String real = hello(A, RUN, "").token();
    for (String wrong :
        List.of(
            "x",
            "mesh-resume.v1.",
            "mesh-resume.v1..",
            "mesh-resume.v1.a",
            "mesh-resume.v1.a.b",
            "mesh-resume.v1.%.%",
            "mesh-resume.v2" + real.substring(14),
            real + "A",
            real.substring(0, real.length() - 2),
            real + "x".repeat(SessionGrant.MAX_TOKEN))) {
      assertEquals(OptionalLong.empty(), presence.resumes(A, wrong), wrong);
    }
    assertTrue(presence.resumes(A, real).isPresent());
    assertEquals(1, presence.count(ResumeVerdict.VALID));
  }

  @Test
  void aTokenOfAnotherWorkspaceOrTimeIsNotTaken() {
    Presence other = new Presence(new WorkspaceId(7, 7), 90 * S, KEY, clock, random::nextLong);
    String token = other.arrived(A, RUN, "", OptionalLong.empty()).token();
    assertEquals(OptionalLong.empty(), presence.resumes(A, token));
    assertEquals(1, presence.count(ResumeVerdict.OTHER_WORKSPACE));
    String mine = hello(A, RUN, "").token();
    clock.set(clock.monotonicNs() - 10 * S); // the wall clock was set back
    assertEquals(OptionalLong.empty(), presence.resumes(A, mine));
    assertEquals(1, presence.count(ResumeVerdict.FROM_THE_FUTURE));
    clock.advance(10 * S + 121 * S);
    assertEquals(OptionalLong.empty(), presence.resumes(A, mine));
    assertEquals(1, presence.count(ResumeVerdict.STALE));
  }

  @Test
  void aSessionGoesOnUnderANewLeaderThatKnowsTheKey() {
    SessionGrant first = hello(A, RUN, "");
    presence = leader(KEY);
    clock.advance(5 * S);
    SessionGrant second = hello(A, RUN, first.token());
    assertTrue(second.resumed());
    assertEquals(first.session(), second.session());
    assertEquals(List.of(), told());
  }

  /** By then a lease that was taken over can have ended, and that may have been told. */
  @Test
  void aTokenOfAnEarlierLeaderIsOverWhenALeaseWouldBe() {
    SessionGrant first = hello(A, RUN, "");
    presence = leader(KEY);
    clock.advance(90 * S);
    assertFalse(hello(A, RUN, first.token()).resumed());
    assertEquals(List.of(Kind.WORKER_JOINED), told());
  }

  @Test
  void leasesAndEventsAreBounded() {
    for (int i = 0; i < Presence.MAX_LEASES + 10; i++) {
      WorkerId worker = new WorkerId("w" + i);
      hello(worker, RUN, "");
      clock.advance(1);
      presence.offline(worker, "x".repeat(10_000));
    }
    assertEquals(Presence.MAX_LEASES, presence.peers().size());
    assertEquals(new WorkerId("w10"), presence.peers().getFirst().worker());
    List<PresenceEvent> events = presence.events().after(0);
    assertEquals(PresenceEvents.MAX, events.size());
    assertTrue(events.stream().allMatch(event -> event.reason().length() <= 300));
    assertTrue(presence.peers().stream().allMatch(peer -> peer.reason().length() <= 300));
  }

  @Test
  void aKeyIsKeptAsAText() {
    ResumeKey again = Objects.requireNonNull(ResumeKey.parse(KEY.toText()));
    byte[] bytes = {1, 2, 3};
    assertTrue(again.verify(bytes, KEY.sign(bytes)));
    assertTrue(Arrays.equals(KEY.sign(bytes), again.sign(bytes)));
    for (String wrong :
        List.of(
            "",
            "hypersync-resume-key: 1\n",
            KEY.toText().replace("key: 1", "key: 2"),
            KEY.toText().substring(0, 100),
            KEY.toText().replace("private: ", "private: 0"),
            // two keys that do not belong together
            KEY.toText().lines().toList().get(0)
                + "\n"
                + KEY.toText().lines().toList().get(1)
                + "\n"
                + ResumeKey.generate().toText().lines().toList().get(2)
                + "\n")) {
      assertNull(ResumeKey.parse(wrong), wrong);
    }
  }
}
