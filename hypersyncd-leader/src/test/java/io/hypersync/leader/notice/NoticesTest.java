package io.hypersync.leader.notice;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.fixtures.ManualClock;
import io.hypersync.leader.presence.Presence;
import io.hypersync.leader.presence.ResumeKey;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.wire.message.LeaderMessage.Notice;
import io.hypersync.wire.message.SessionGrant;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What workers are told besides the log, while they are there and when they come back. */
class NoticesTest {
  private static final long S = 1_000_000_000L;
  private static final WorkerId A = new WorkerId("a");
  private static final WorkerId B = new WorkerId("b");
  private static final ClientId RUN = new ClientId(1, 1);
  private static final ResumeKey KEY = ResumeKey.generate();

  private final ManualClock clock = new ManualClock(1_000_000 * S);
  private final List<String> sent = new ArrayList<>();
  private Presence presence = presence();
  private Notices notices = notices();

  private Presence presence() {
    return new Presence(new WorkspaceId(1, 2), 90 * S, KEY, clock, new Random(1)::nextLong);
  }

  private Notices notices() {
    Notices made =
        new Notices(
            clock,
            (worker, message) -> {
              Notice notice = (Notice) message;
              sent.add(worker + " " + notice.number() + " " + notice.kind() + " " + notice.text());
            });
    presence.events().follow(made::happened);
    return made;
  }

  /** A Hello that is accepted, and its Welcome. */
  private SessionGrant arrives(WorkerId worker, ClientId run, String token, long seen) {
    OptionalLong resumes = presence.resumes(worker, token);
    SessionGrant grant = presence.arrived(worker, run, "h:1", resumes);
    notices.welcomed(worker, resumes.isPresent() ? seen : 0);
    return grant;
  }

  private List<String> taken() {
    List<String> all = List.copyOf(sent);
    sent.clear();
    return all;
  }

  private void say(WorkerId worker, String text) {
    assertTrue(notices.post(worker, Notice.Kind.MESSAGE, text).isPresent());
  }

  @Test
  void whoIsConnectedIsToldAtOnce() {
    var _ = arrives(A, RUN, "", 0);
    say(A, "one");
    assertEquals(List.of("a 1 MESSAGE one"), taken());
    assertEquals(0, notices.waiting());
  }

  @Test
  void whoIsAwayIsToldInOrderWhenItIsBack() {
    SessionGrant grant = arrives(A, RUN, "", 0);
    presence.offline(A, "cut");
    say(A, "one");
    say(A, "two");
    assertEquals(List.of(), taken());
    assertEquals(2, notices.waiting());
    assertFalse(notices.isTold(A));
    var _ = arrives(A, RUN, grant.token(), 0);
    assertEquals(List.of("a 1 MESSAGE one", "a 2 MESSAGE two"), taken());
    assertEquals(0, notices.waiting());
  }

  @Test
  void whatWasSentAndLostWithTheConnectionIsSentAgainAndNothingElse() {
    SessionGrant grant = arrives(A, RUN, "", 0);
    say(A, "one");
    say(A, "two"); // is lost
    presence.offline(A, "cut");
    say(A, "three");
    sent.clear();
    var _ = arrives(A, RUN, grant.token(), 1);
    assertEquals(List.of("a 2 MESSAGE two", "a 3 MESSAGE three"), taken());
  }

  /** A number that is of another session says nothing: the worker drops what it has. */
  @Test
  void withoutAValidTokenAllIsSentAgain() {
    var _ = arrives(A, RUN, "", 0);
    say(A, "one");
    presence.offline(A, "cut");
    sent.clear();
    var _ = arrives(A, RUN, "forged", 9);
    assertEquals(List.of("a 1 MESSAGE one"), taken());
  }

  @Test
  void othersAreToldOnceWhoHasJoinedAndLeftAlsoThoseWhoAreAway() {
    SessionGrant grant = arrives(A, RUN, "", 0);
    var _ = arrives(B, RUN, "", 0);
    assertEquals(List.of("a 1 WORKER_JOINED from h:1"), taken());
    presence.offline(B, "cut");
    clock.advance(50 * S);
    presence.offline(A, "cut");
    clock.advance(41 * S);
    var _ = presence.tick(clock.monotonicNs());
    assertEquals(List.of(), taken());
    var _ = arrives(A, RUN, grant.token(), 1);
    assertEquals(List.of("a 2 WORKER_LEFT from h:1: cut"), taken());
  }

  @Test
  void nothingWaitsBeyondALeaseNorForAnotherRun() {
    SessionGrant grant = arrives(A, RUN, "", 0);
    presence.offline(A, "cut");
    say(A, "one");
    var _ = arrives(A, new ClientId(1, 2), "", 0);
    assertEquals(List.of(), taken());
    assertEquals(1, notices.dropped());
    presence.offline(A, "cut");
    clock.advance(91 * S);
    var _ = presence.tick(clock.monotonicNs());
    assertTrue(notices.post(A, Notice.Kind.MESSAGE, "two").isEmpty());
    var _ = arrives(A, RUN, grant.token(), 0);
    assertEquals(List.of(), taken());
  }

  @Test
  void aNewLeaderGoesOnBehindWhatAWorkerHasSeen() {
    SessionGrant grant = arrives(A, RUN, "", 0);
    say(A, "one");
    presence = new Presence(new WorkspaceId(1, 2), 90 * S, KEY, clock, new Random(2)::nextLong);
    notices = notices();
    sent.clear();
    SessionGrant next = arrives(A, RUN, grant.token(), 1);
    assertEquals(grant.session(), next.session());
    say(A, "two");
    assertEquals(List.of("a 2 MESSAGE two"), taken());
  }

  @Test
  void aQueueIsBoundedInNumberAndBytesAndWhatIsDroppedIsCounted() {
    SessionGrant grant = arrives(A, RUN, "", 0);
    presence.offline(A, "cut");
    for (int i = 1; i <= NoticeQueue.MOST + 7; i++) {
      say(A, "" + i);
    }
    assertEquals(7, notices.dropped());
    assertEquals(NoticeQueue.MOST, notices.waiting());
    var _ = arrives(A, RUN, grant.token(), 0);
    assertEquals(NoticeQueue.MOST, sent.size());
    assertEquals("a 8 MESSAGE 8", sent.getFirst());

    NoticeQueue queue = new NoticeQueue();
    for (int i = 0; i < 2 * NoticeQueue.MOST; i++) {
      var _ = queue.add(0, Notice.Kind.MESSAGE, A, "x".repeat(5_000));
      assertTrue(queue.bytes() <= NoticeQueue.MOST_BYTES);
    }
    assertTrue(queue.size() < NoticeQueue.MOST);
    assertEquals(Notice.MAX_TEXT, queue.send().getFirst().text().length());
  }

  @Test
  void whateverAWorkerClaimsToHaveSeenNumbersStayPositive() {
    NoticeQueue queue = new NoticeQueue();
    queue.seen(Long.MAX_VALUE);
    assertTrue(queue.add(0, Notice.Kind.MESSAGE, A, "x").number() > 0);
  }
}
