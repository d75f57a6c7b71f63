package io.hypersync.wire.quic;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** How many log lines unauthenticated peers can cause. */
final class UnauthenticatedPeerLogTest {
  private final AtomicLong nowNs = new AtomicLong(Long.MAX_VALUE); // overflows to negative

  @Test
  void soManyLinesAMinuteAreWrittenAndTheNextMinutesFirstSaysHowManyWereNot() {
    try (WarnLines lines = new WarnLines()) {
      UnauthenticatedPeerLog log =
          new UnauthenticatedPeerLog(
              LoggerFactory.getLogger(UnauthenticatedPeerLog.class), 2, nowNs::get);
      for (int i = 1; i <= 5; i++) {
        log.warn("x", "came " + i);
      }
      assertEquals(List.of("WARN x: came 1", "WARN x: came 2"), lines.all());
      nowNs.addAndGet(TimeUnit.SECONDS.toNanos(60));
      log.warn("x", "came 6");
      log.warn("x", "came 7");
      log.warn("x", "came 8");
      assertEquals(
          List.of("WARN x: came 6 (3 more like it were not written)", "WARN x: came 7"),
          lines.all().subList(2, 4));
      assertEquals(4, lines.all().size());
    }
  }
}
