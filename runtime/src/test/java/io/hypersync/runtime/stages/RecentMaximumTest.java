package io.hypersync.runtime.stages;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The slowest events of the last 30 to 60 seconds. */
class RecentMaximumTest {
  private static final long S = 1_000_000_000L;

  private final RecentMaximum<String> slowest = new RecentMaximum<>(2, 0);

  @Test
  void theSlowestArePutFirstAndTheOthersForgotten() {
    add(5, "five", 0);
    add(9, "nine", 0);
    add(7, "seven", 0);
    assertFalse(slowest.admits(7, 0), "no slower than the last of them");
    assertEquals(List.of("nine", "seven"), slowest.list(0));
  }

  @Test
  void whatIsOldMakesRoom() {
    add(9, "old", 0);
    add(1, "new", 31 * S);
    assertEquals(List.of("old", "new"), slowest.list(59 * S));
    assertEquals(List.of("new"), slowest.list(62 * S));
    assertEquals(List.of(), slowest.list(200 * S));
  }

  @Test
  void nothingIsRecentAfterALongPause() {
    add(9, "old", 0);
    assertEquals(List.of(), slowest.list(60 * S));
  }

  private void add(long nanos, String what, long nowNs) {
    if (slowest.admits(nanos, nowNs)) {
      slowest.add(nanos, what);
    }
  }
}
