package io.hypersync.leader.dataplane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.wire.message.WorkerMessage.MulticastHeard;
import org.junit.jupiter.api.Test;

/** When a worker counts as one that hears what is sent to all. */
class MulticastHearingTest {
  private static final long MS = 1_000_000;

  private final MulticastHearing hearing = new MulticastHearing(0);
  private long nowNs;
  private long newest;
  private long received;

  @Test
  void whoHasHeardNothingDoesNotHear() {
    assertFalse(hearing.isHearing());
    silent(5_000, false);
    assertEquals("has heard no multicast packet yet", hearing.reason());
  }

  @Test
  void whoTellsOfAPacketHears() {
    heard(100, 1, 1);
    assertTrue(hearing.isHearing());
    assertEquals("hears 100.0 % of multicast packets", hearing.reason());
  }

  @Test
  void whatAWorkerHasMissedBeforeItsFirstPacketIsNoLoss() {
    newest = 100_000;
    heard(100, 1, 1);
    heard(100, 100, 100);
    assertEquals(0, hearing.loss());
  }

  @Test
  void whoTellsOfNothingNewIsDeafAfterAWhile() {
    heard(100, 1, 1);
    silent(1_490, true);
    assertTrue(hearing.isHearing());
    silent(10, true);
    assertFalse(hearing.isHearing(), "to tell the same again is to tell nothing");
    silent(2_000, false);
    assertEquals("has heard no multicast packet for 3 s", hearing.reason());
  }

  @Test
  void whoWasDeafHearsAgainAfterTenSeconds() {
    heard(100, 1, 1);
    silent(1_500, false);
    for (int i = 0; i < 99; i++) {
      heard(100, 1, 1);
      assertFalse(hearing.isHearing(), "after " + i);
    }
    heard(200, 1, 1);
    assertTrue(hearing.isHearing());
  }

  /** What has come meanwhile is read after the first look. */
  @Test
  void aPauseOfTheLeaderIsNoSilence() {
    heard(100, 1, 1);
    silent(1_000, false);
    nowNs += 10_000 * MS;
    hearing.tick(nowNs);
    assertTrue(hearing.isHearing());
    silent(500, false);
    assertFalse(hearing.isHearing());
  }

  @Test
  void whoLosesMuchIsLeftOutUntilItLosesLittle() {
    heard(100, 1, 1);
    heard(100, 1_000, 850);
    assertTrue(hearing.isHearing());
    for (int i = 0; i < 20 && hearing.isHearing(); i++) {
      heard(100, 1_000, 700);
    }
    assertFalse(hearing.isHearing());
    assertTrue(hearing.loss() > 0.2);
    for (int i = 0; i < 200; i++) {
      heard(100, 1_000, 850);
    }
    assertFalse(hearing.isHearing(), "15 % are too many to come back");
    for (int i = 0; i < 20; i++) {
      heard(100, 1_000, 1_000);
    }
    assertTrue(hearing.isHearing());
  }

  @Test
  void figuresThatMakeNoSenseDoNoHarm() {
    heard(100, 1, 1);
    hearing.heard(new MulticastHeard(0, Long.MAX_VALUE, 1, 0), nowNs);
    assertTrue(hearing.loss() <= 1);
    hearing.heard(new MulticastHeard(0, 1, Long.MAX_VALUE, 0), nowNs);
    assertTrue(hearing.loss() >= 0);
  }

  /** Nothing new is told for so long, in which the leader looks every 10 ms. */
  private void silent(long ms, boolean tellsTheSame) {
    for (long i = 0; i < ms; i += 10) {
      heard(10, 0, 0, tellsTheSame);
      hearing.tick(nowNs);
    }
  }

  private void heard(long laterMs, long sent, long came, boolean isTold) {
    nowNs += laterMs * MS;
    newest += sent;
    received += came;
    if (isTold) {
      hearing.heard(new MulticastHeard(0, newest, received, 0), nowNs);
    }
  }

  private void heard(long laterMs, long sent, long came) {
    heard(laterMs, sent, came, true);
  }
}
