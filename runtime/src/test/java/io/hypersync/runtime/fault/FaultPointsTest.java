package io.hypersync.runtime.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.runtime.fault.FaultPoints.Moment;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FaultPointsTest {
  private static final String HOLD_AT = "HYPERSYNC_FAULT_HOLD_AT";

  @Test
  void nobodyIsHeldUnlessTheEnvironmentSaysSo() {
    FaultPoints off = FaultPoints.of(Map.of());
    for (Moment moment : Moment.values()) {
      assertFalse(off.holdsAt(moment));
      off.reached(moment);
    }
  }

  @Test
  void theThreadThatComesToTheChosenMomentNeverGoesOn() throws InterruptedException {
    FaultPoints points = FaultPoints.of(Map.of(HOLD_AT, "ACK_RECEIVED:3"));
    AtomicInteger passed = new AtomicInteger();
    Thread thread =
        Thread.ofPlatform()
            .daemon()
            .start(
                () -> {
                  for (int i = 0; i < 5; i++) {
                    points.reached(Moment.INTENT_SENT);
                    points.reached(Moment.ACK_RECEIVED);
                    passed.incrementAndGet();
                  }
                });
    assertFalse(thread.join(Duration.ofMillis(300)), "it goes on");
    assertEquals(2, passed.get(), "moments that it has passed");
    assertTrue(points.holdsAt(Moment.ACK_RECEIVED));
    assertFalse(points.holdsAt(Moment.INTENT_SENT));
  }

  @Test
  void theNotifierIsLateByUpToTheDelay() {
    FaultPoints late = FaultPoints.of(Map.of("HYPERSYNC_FAULT_NOTIFIER_DELAY_US", "2000"));
    long begin = System.nanoTime();
    for (int i = 0; i < 100; i++) {
      late.slowNotifier();
    }
    assertTrue(System.nanoTime() - begin > 20_000_000, "100 times up to 2 ms");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "ACK_RECEIVED", "ACK_RECEIVED:0", "ACK_RECEIVED:x", "LUNCH:1"})
  void whatDoesNotExistIsRefused(String hold) {
    Map<String, String> environment = Map.of(HOLD_AT, hold);
    assertThrows(IllegalArgumentException.class, () -> FaultPoints.of(environment));
  }
}
