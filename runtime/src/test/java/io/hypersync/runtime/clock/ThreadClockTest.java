package io.hypersync.runtime.clock;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class ThreadClockTest {
  private static final long MS = 1_000_000;

  @Test
  void itStandsStillWhileTheThreadSleeps() throws InterruptedException {
    long before = ThreadClock.nanoTime();
    Thread.sleep(200);
    long slept = ThreadClock.nanoTime() - before;
    assertTrue(slept >= 0 && slept < 50 * MS, slept + " ns");
  }

  @Test
  void itGoesOnWhileTheThreadWorks() {
    long before = ThreadClock.nanoTime();
    long beganNs = System.nanoTime();
    while (ThreadClock.nanoTime() - before < 20 * MS) {
      long waited = System.nanoTime() - beganNs;
      assertTrue(waited < 60_000 * MS, "no progress");
    }
  }
}
