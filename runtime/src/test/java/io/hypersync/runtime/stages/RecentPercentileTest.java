package io.hypersync.runtime.stages;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Percentiles of the last 5 to 10 seconds, and of nothing older. */
class RecentPercentileTest {
  private static final long SECOND_NS = 1_000_000_000L;

  private final RecentPercentile recent = new RecentPercentile(0);

  /** Within 1 %, as histograms are. */
  private static void assertAbout(long expected, long actual) {
    assertTrue(Math.abs(actual - expected) <= expected / 100, () -> "it is " + actual);
  }

  @Test
  void withoutDurationsThereIsNone() {
    assertEquals(-1, recent.at(95, 0));
  }

  @Test
  void theWindowBeforeCountsAndThoseBeforeThatDoNot() {
    recent.add(8_000_000, SECOND_NS);
    recent.add(2_000_000, 6 * SECOND_NS);
    assertAbout(8_000_000, recent.at(100, 9 * SECOND_NS));
    assertAbout(2_000_000, recent.at(100, 11 * SECOND_NS));
    assertEquals(-1, recent.at(100, 17 * SECOND_NS));
  }

  @Test
  void afterALongPauseNothingIsRecent() {
    recent.add(8_000_000, SECOND_NS);
    assertEquals(-1, recent.at(100, 11 * SECOND_NS));
  }

  @Test
  void impossibleDurationsAreBounded() {
    recent.add(-5, 0);
    assertTrue(recent.at(100, 0) < 1_000);
    recent.add(Long.MAX_VALUE, 0);
    assertAbout(600 * SECOND_NS, recent.at(100, 0));
  }
}
