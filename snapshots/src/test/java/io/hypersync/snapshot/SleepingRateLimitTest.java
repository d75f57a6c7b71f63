package io.hypersync.snapshot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hypersync.fixtures.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SleepingRateLimitTest {
  private final ManualClock clock = new ManualClock();
  private final List<Long> pausesMs = new ArrayList<>();

  @Test
  void whatIsSpentIsPaidForWithTimeExceptForATenthOfASecondAfterARest() {
    SleepingRateLimit limit =
        new SleepingRateLimit(
            1_000,
            clock,
            time -> {
              pausesMs.add(time.toMillis());
              clock.advance(time.toNanos());
            });
    limit.spend(100);
    assertEquals(List.of(), pausesMs);
    limit.spend(500);
    limit.spend(2_000);
    assertEquals(List.of(500L, 2_000L), pausesMs);
    clock.advance(Duration.ofHours(1).toNanos());
    limit.spend(300);
    assertEquals(200L, pausesMs.getLast());
  }

  /** As when the daemon stops. */
  @Test
  void aPauseMayEndWhoeverSpends() {
    SleepingRateLimit limit =
        new SleepingRateLimit(
            1,
            clock,
            _ -> {
              throw new IllegalStateException("it stops");
            });
    assertThrows(IllegalStateException.class, () -> limit.spend(1_000_000));
  }
}
