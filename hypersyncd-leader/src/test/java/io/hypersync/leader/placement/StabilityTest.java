package io.hypersync.leader.placement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A worker is excluded at once, and comes back late, later each time. */
class StabilityTest {
  private static final long SECOND_NS = 1_000_000_000L;
  private static final List<Reason> BAD = List.of(new Reason("cpu_utilization", "90%"));

  private final Stability stability = new Stability();
  private long nowNs;

  private void observe(boolean isBad, int seconds) {
    for (int i = 0; i < seconds; i++) {
      nowNs += SECOND_NS;
      stability.observe(isBad ? BAD : List.of(), !isBad, nowNs);
    }
  }

  private int secondsUntilStable() {
    int seconds = 0;
    while (!stability.isStable()) {
      observe(false, 1);
      seconds++;
      assertTrue(seconds < 1_000);
    }
    return seconds;
  }

  @Test
  void itBeginsStableAndStaysSo() {
    assertTrue(stability.isStable());
    observe(false, 100);
    assertTrue(stability.isStable());
  }

  @Test
  void oneBadReportExcludesAndTenCalmSecondsBringItBack() {
    observe(true, 1);
    assertFalse(stability.isStable());
    observe(false, 5);
    assertEquals(6 * SECOND_NS, stability.missingNs(nowNs));
    observe(true, 1);
    assertEquals(11, secondsUntilStable(), "from the first calm report on");
  }

  @Test
  void eachTimeItWaitsTwiceAsLongAndNotForEver() {
    int[] waits = new int[8];
    for (int i = 0; i < waits.length; i++) {
      observe(true, 1);
      waits[i] = secondsUntilStable() - 1;
    }
    assertEquals(
        List.of(10, 20, 40, 80, 160, 320, 320, 320), Arrays.stream(waits).boxed().toList());
  }

  @Test
  void afterAGoodWhileOneBadReportIsOneAgain() {
    observe(true, 1);
    var _ = secondsUntilStable();
    observe(true, 1);
    assertEquals(21, secondsUntilStable());
    observe(false, 600);
    observe(true, 1);
    assertEquals(11, secondsUntilStable());
  }
}
