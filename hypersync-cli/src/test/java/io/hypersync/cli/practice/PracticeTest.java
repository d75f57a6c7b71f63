package io.hypersync.cli.practice;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Practice beside a start: bounded, and ended when nobody waits for it any more. */
@Timeout(30)
class PracticeTest {
  @Test
  void itMakesCallsUntilItsLimit() throws InterruptedException {
    long beganNs = System.nanoTime();
    try (Practice practice = Practice.begin(Duration.ofMillis(500))) {
      practice.await();
      assertTrue(practice.mutations() > 0);
    }
    assertTrue(System.nanoTime() - beganNs < Duration.ofSeconds(10).toNanos());
  }

  @Test
  void withoutALimitThereIsNone() throws InterruptedException {
    try (Practice practice = Practice.begin(Duration.ZERO)) {
      practice.await();
      assertEquals(0, practice.mutations());
    }
  }

  @Test
  void whoEndsItNeedNotWaitForItsLimit() throws InterruptedException {
    try (Practice practice = Practice.begin(Duration.ofHours(1))) {
      practice.end();
      practice.await();
    }
  }
}
