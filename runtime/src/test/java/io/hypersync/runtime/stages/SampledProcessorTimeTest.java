package io.hypersync.runtime.stages;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hypersync.runtime.agent.Clock;
import org.junit.jupiter.api.Test;

class SampledProcessorTimeTest {
  /** More than most of the work takes. */
  private static final long ASKING_NS = 25;

  private long nowNs;
  private int asked;

  private final SampledProcessorTime time =
      new SampledProcessorTime(
          new Clock() {
            @Override
            public long monotonicNs() {
              throw new AssertionError("time in which others had the processor does not count");
            }

            @Override
            public long processorNs() {
              asked++;
              nowNs += ASKING_NS;
              return nowNs;
            }

            @Override
            public long epochNs() {
              throw new AssertionError("as above");
            }
          });

  private void work(int times, long eachNs) {
    for (int i = 0; i < times; i++) {
      time.begin();
      nowNs += eachNs;
      time.end();
    }
  }

  @Test
  void oneTimeIn257StandsForAll() {
    work(25_700, 10);
    assertEquals(257_000, time.totalNs());
    assertEquals(3 * 100, asked);
  }

  @Test
  void whatHappensBetweenTwoPiecesOfWorkDoesNotCount() {
    for (int i = 0; i < 2_570; i++) {
      work(1, 10);
      nowNs += 1_000;
    }
    assertEquals(25_700, time.totalNs());
  }

  @Test
  void workThatTakesLongerEachSecondTimeIsNotSeenAsOneKindOnly() {
    for (int i = 0; i < 25_700; i++) {
      work(1, i % 2 == 0 ? 10 : 30);
    }
    assertEquals(257 * 100 * 20, time.totalNs());
  }
}
