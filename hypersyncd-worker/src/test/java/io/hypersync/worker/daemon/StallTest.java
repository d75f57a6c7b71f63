package io.hypersync.worker.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** When threads that make no progress count as held up. */
class StallTest {
  private static final long MS = 1_000_000;
  private static final long LIMIT_NS = 200 * MS;

  private final Stall stall = new Stall(LIMIT_NS, 0);

  /** Looks every millisecond; returns the one that has found a stall, or -1. */
  private long firstStall(long fromMs, long toMs) {
    for (long ms = fromMs; ms < toMs; ms++) {
      if (stall.isStalled(ms * MS)) {
        return ms;
      }
    }
    return -1;
  }

  @Test
  void whatMakesNoProgressHasStalledWhenTheLimitIsOver() {
    assertEquals(200, firstStall(1, 1_000));
  }

  @Test
  void whatGetsOnNowAndThenHasNot() {
    for (int round = 0; round < 20; round++) {
      stall.progress();
      assertEquals(-1, firstStall(round * 150L, (round + 1) * 150L));
    }
    assertTrue(firstStall(3_000, 4_000) > 0);
  }

  @Test
  void aProcessThatStoodStillForSecondsHasNotSeenAStall() {
    assertEquals(-1, firstStall(1, 150));
    assertFalse(stall.isStalled(10_000 * MS), "the first look after a pause of ten seconds");
    stall.progress();
    assertEquals(-1, firstStall(10_001, 10_190));
  }

  @Test
  void looksThatAllComeLateNeedTenOfThem() {
    for (int look = 1; look < 10; look++) {
      assertFalse(stall.isStalled(look * 1_000L * MS), "look " + look);
    }
    assertTrue(stall.isStalled(10_000 * MS));
  }
}
