package io.hypersync.runtime.stages;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hypersync.runtime.agent.Clock;
import org.junit.jupiter.api.Test;

class SampledProcessorTimeTest {
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
  void oneTimeInSeventeenStandsForAll() {
    work(1_700, 10);
    assertEquals(17_000, time.totalNs());
    assertEquals(2 * 100, asked);
  }

  @Test
  void whatHappensBetweenTwoPiecesOfWorkDoesNotCount() {
    for (int i = 0; i < 170; i++) {
      work(1, 10);
      nowNs += 1_000;
    }
    assertEquals(1_700, time.totalNs());
  }

  @Test
  void workThatTakesLongerEachSecondTimeIsNotSeenAsOneKindOnly() {
    for (int i = 0; i < 1_700; i++) {
      work(1, i % 2 == 0 ? 10 : 30);
    }
    assertEquals(17 * 100 * 20, time.totalNs());
  }
}
