package io.hypersync.wire.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How many tokens are available, and when the next ones will be (hypersync.md 12.5). */
class TokenBucketTest {
  private static final long MS = 1_000_000;
  private static final long SECOND = 1_000 * MS;

  /**
   * Each step is {@code ms:tokens=wait}: the time, the tokens to take, and the expected wait in ms.
   * With a wait of 0 the tokens are taken.
   */
  @ParameterizedTest(name = "{0} per second, {1} at once: {2}")
  @CsvSource(
      textBlock =
          """
          10,   2, 0:1=0 0:1=0 0:1=100
          10,   2, 0:2=0 0:1=100 50:1=50 99:1=1 100:1=0 100:1=100
          10,   2, 0:2=0 1000:1=0 1000:1=0 1000:1=100
          10,   2, 0:1=0 60000:2=0 60000:1=100
          10,   2, 0:2=0 150:1=0 150:1=50
          10,   2, 0:2=0 0:2=200 100:2=100 100:1=0
          1000, 1, 0:1=0 0:1=1 1:1=0 1:1=1
          1,    1, 0:1=0 0:1=1000 999:1=1 1000:1=0
          10,   2, 0:5=0 0:1=400
          10,   2, 0:1=0 0:5=100 100:5=0 100:5=500
          """)
  void tokensComeInAndAreTakenOut(long perSecond, long capacity, String steps) {
    for (long beganNs : new long[] {0, -5 * SECOND, Long.MAX_VALUE - 50 * MS}) {
      TokenBucket bucket = new TokenBucket(perSecond, capacity, beganNs);
      for (String step : steps.split(" ", -1)) {
        long atNs = beganNs + number(step, 0) * MS;
        long waitNs = bucket.waitNs(number(step, 1), atNs);
        assertEquals(number(step, 2) * MS, waitNs, () -> step + ", of a clock from " + beganNs);
        if (waitNs == 0) {
          bucket.take(number(step, 1), atNs);
        }
      }
    }
  }

  @Test
  void whoWaitsForAsLongAsItTakesGetsHisToken() {
    TokenBucket bucket = new TokenBucket(3, 1, 0);
    long nowNs = 0;
    for (int i = 0; i < 1_000; i++) {
      bucket.take(1, nowNs);
      nowNs += bucket.waitNs(1, nowNs);
      assertEquals(0, bucket.waitNs(1, nowNs));
    }
    assertEquals(333.333333, nowNs / 1e9, 1e-5, "rounded, by a nanosecond each");
  }

  @Test
  void inNoTimeMoreIsTakenThanCameInAndWasThere() {
    long seed = 12_005;
    Random random = new Random(seed);
    for (int round = 0; round < 200; round++) {
      long perSecond = random.nextLong(1, 100_000);
      long capacity = random.nextLong(1, 1_000);
      TokenBucket bucket = new TokenBucket(perSecond, capacity, 0);
      long nowNs = 0;
      long taken = 0;
      for (int i = 0; i < 1_000; i++) {
        nowNs += random.nextLong(SECOND / perSecond + 1);
        long wanted = random.nextLong(1, capacity + 1);
        if (bucket.waitNs(wanted, nowNs) == 0) {
          bucket.take(wanted, nowNs);
          taken += wanted;
        }
        double most = capacity + perSecond * ((nowNs + 1) / 1e9); // rounded up to whole nanoseconds
        assertTrue(taken <= most, "seed " + seed + ", round " + round + ": " + taken);
      }
      assertTrue(taken > 0, "round " + round);
    }
  }

  private static long number(String step, int at) {
    return Long.parseLong(step.split("[:=]", -1)[at]);
  }
}
