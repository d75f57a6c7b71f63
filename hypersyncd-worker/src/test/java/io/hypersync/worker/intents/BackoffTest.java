package io.hypersync.worker.intents;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * When a worker whose intents were refused sends again, and how many (hypersync.md 6.3.1, 12.5).
 */
class BackoffTest {
  private static final long MS = 1_000_000;

  /** The random number; with 0, pauses are not shortened. */
  private long entropy;

  private final Backoff backoff = new Backoff(() -> entropy);

  @Test
  void nothingIsHeldUpBeforeTheFirstRefusal() {
    assertTrue(backoff.maySend(1_000_000, Long.MIN_VALUE));
    assertTrue(backoff.maySend(1_000_000, Long.MAX_VALUE));
    backoff.taken();
    assertTrue(backoff.maySend(1_000_000, 0));
  }

  /**
   * Consecutive refusals: the pauses that the leader asks for, and the pauses that follow, in ms.
   */
  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource(
      textBlock =
          """
          0 0 0 0 0,             1 2 4 8 16
          0 0 0 0 0 0 0 0 0 0 0, 1 2 4 8 16 32 64 128 256 256 256
          5 5 5 5 5,             5 5 5 8 16
          1000 0 2000 0,         1000 2 2000 8
          3000 0,                2000 2
          """)
  void pausesGetLongerFromTheFirstToTheLongest(String asked, String pauses) {
    long nowNs = Long.MAX_VALUE - 100 * MS; // the clock overflows during the test
    List<String> seen = new ArrayList<>();
    for (String retryAfterMs : asked.split(" ", -1)) {
      backoff.refused(Long.parseLong(retryAfterMs) * MS, 0, nowNs);
      long pauseNs = pauseNs(nowNs);
      seen.add(Long.toString(pauseNs / MS));
      nowNs += pauseNs;
    }
    assertEquals(pauses, String.join(" ", seen));
  }

  @Test
  void chanceMakesAPauseUpToHalfShorterButNotShorterThanAskedFor() {
    for (long any : new long[] {0, 1, -1, 499_999, 500_000, Long.MIN_VALUE, Long.MAX_VALUE}) {
      entropy = any;
      Backoff fresh = new Backoff(() -> entropy);
      fresh.refused(0, 0, 0);
      assertFalse(fresh.maySend(0, MS / 2), () -> "entropy " + any);
      assertTrue(fresh.maySend(0, MS), () -> "entropy " + any);
      fresh.refused(2 * MS, 0, MS);
      assertFalse(fresh.maySend(0, 3 * MS - 1));
      assertTrue(fresh.maySend(0, 3 * MS));
    }
  }

  @Test
  void refusalsOfOneRoundArePausedForOnce() {
    for (int i = 0; i < 20; i++) {
      backoff.refused(0, 0, 0);
    }
    assertEquals(MS, pauseNs(0));
    backoff.refused(0, 0, MS);
    assertEquals(2 * MS, pauseNs(MS));
  }

  @Test
  void theLeaderCanMakeAPauseLonger() {
    backoff.refused(0, 0, 0);
    backoff.refused(7 * MS, 0, 0);
    backoff.refused(5 * MS, 0, 0);
    assertEquals(7 * MS, pauseNs(0));
  }

  @Test
  void whatIsTakenMakesTheNextPauseShortAgain() {
    backoff.refused(0, 0, 0);
    backoff.refused(0, 0, 10 * MS);
    assertEquals(2 * MS, pauseNs(10 * MS));
    backoff.taken();
    backoff.refused(0, 0, 20 * MS);
    assertEquals(MS, pauseNs(20 * MS));
  }

  @Test
  void afterThePauseNoMoreIsSentAtOnceThanWasTakenAndThenOneMoreForEach() {
    backoff.refused(0, 18, 0);
    backoff.refused(0, 13, 0);
    assertTrue(backoff.maySend(13, MS), "one more, for all that are on their way may be uploads");
    assertFalse(backoff.maySend(14, MS));
    backoff.taken();
    backoff.taken();
    assertTrue(backoff.maySend(15, MS));
    assertFalse(backoff.maySend(16, MS));
    backoff.over();
    assertTrue(backoff.maySend(1_000_000, MS));
  }

  @Test
  void aNewConnectionStartsAfresh() {
    backoff.refused(2_000 * MS, 3, 0);
    backoff.reconnected();
    assertTrue(backoff.maySend(1_000_000, 0));
  }

  @Test
  void aFewAreTriedInAnyCase() {
    backoff.refused(0, 0, 0);
    assertTrue(backoff.maySend(3, MS));
    assertFalse(backoff.maySend(4, MS));
  }

  private long pauseNs(long nowNs) {
    long pauseNs = 0;
    while (!backoff.maySend(0, nowNs + pauseNs)) {
      pauseNs += MS;
    }
    assertFalse(backoff.maySend(0, nowNs + pauseNs - 1));
    return pauseNs;
  }
}
