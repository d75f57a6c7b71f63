package io.hypersync.cli.practice;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** When practice helps no more. */
class ProgressTest {
  private long nowNs;
  private final Progress progress = new Progress(0);

  /** A window of rounds that take so long; returns what the last one of them decides. */
  private boolean window(long roundNs) {
    long beganNs = nowNs;
    int rounds = 0;
    boolean over = false;
    while (nowNs - beganNs < Progress.WINDOW_NS || rounds < Progress.WINDOW_ROUNDS) {
      assertFalse(over, "decided within a window");
      nowNs += roundNs;
      rounds++;
      over = progress.roundEnded(nowNs);
    }
    return over;
  }

  @Test
  void itGoesOnAsLongAsRoundsGetFaster() {
    for (long roundNs = 10_000_000; roundNs > 100_000; roundNs = roundNs * 9 / 10) {
      assertFalse(window(roundNs));
    }
  }

  @Test
  void threeWindowsWithoutProgressEndIt() {
    assertFalse(window(1_000_000));
    assertFalse(window(1_000_000));
    assertFalse(window(990_000));
    assertTrue(window(1_000_000));
  }

  @Test
  void progressAfterAPauseCountsAnew() {
    assertFalse(window(1_000_000));
    assertFalse(window(5_000_000)); // a busy processor
    assertFalse(window(5_000_000));
    assertFalse(window(500_000));
    assertFalse(window(500_000));
    assertFalse(window(500_000));
    assertTrue(window(500_000));
  }

  /** On a busy host a window of 100 ms would have a round or two, and say nothing. */
  @Test
  void slowRoundsMakeLongWindows() {
    for (int i = 1; i <= 4 * Progress.WINDOW_ROUNDS; i++) {
      boolean over = progress.roundEnded(i * Progress.WINDOW_NS);
      assertEquals(i == 4 * Progress.WINDOW_ROUNDS, over, "after round " + i);
    }
  }
}
