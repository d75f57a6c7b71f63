package io.hypersync.worker.notice;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.id.WorkerId;
import io.hypersync.wire.message.LeaderMessage.Notice;
import org.junit.jupiter.api.Test;

/** What a worker takes of the leader's notices. */
class NoticesTest {
  private final Notices notices = new Notices();

  private static Notice notice(long number) {
    return new Notice(number, 0, Notice.Kind.MESSAGE, new WorkerId("a"), "n" + number);
  }

  @Test
  void eachNumberIsTakenOnce() {
    notices.session(7);
    assertTrue(notices.take(notice(1)));
    assertTrue(notices.take(notice(2)));
    assertFalse(notices.take(notice(1)));
    assertFalse(notices.take(notice(2)));
    assertEquals(2, notices.latest().size());
    assertEquals(2, notices.repeated());
    assertEquals(2, notices.seen());
  }

  @Test
  void theSameSessionGoesOnWithItsNumbersAndAnotherOneHasItsOwn() {
    notices.session(7);
    assertTrue(notices.take(notice(1)));
    notices.session(7);
    assertEquals(1, notices.seen());
    notices.session(8);
    assertEquals(0, notices.seen());
    assertTrue(notices.take(notice(1)));
    assertEquals(0, notices.missed());
  }

  @Test
  void aGapIsCountedAsMissed() {
    notices.session(7);
    assertTrue(notices.take(notice(4)));
    assertEquals(3, notices.missed());
    assertEquals(1, notices.taken());
  }

  @Test
  void theLatestAreKept() {
    for (int i = 1; i <= Notices.MOST + 5; i++) {
      assertTrue(notices.take(notice(i)));
    }
    assertEquals(Notices.MOST, notices.latest().size());
    assertEquals(6, notices.latest().getFirst().notice().number());
  }
}
