package io.hypersync.leader.sequencer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hypersync.leader.IntentRateLimits;
import io.hypersync.model.id.WorkerId;
import org.junit.jupiter.api.Test;

/** Rate limits of workers and their figures (hypersync.md 12.5). */
class IntentRatesTest {
  private static final WorkerId A = new WorkerId("a");
  private static final WorkerId B = new WorkerId("b");
  private static final long MS = 1_000_000;
  private static final long SECOND = 1_000 * MS;
  private static final long MIB = 1 << 20;

  @Test
  void withoutLimitsEverythingIsTakenAndCounted() {
    IntentRates rates = new IntentRates(IntentRateLimits.NONE);
    for (int i = 0; i < 10_000; i++) {
      assertEquals(0, rates.take(A, MIB, 0));
    }
    assertEquals(0, rates.of(A, 0).rejected());
  }

  @Test
  void eachWorkerHasItsOwnBuckets() {
    IntentRates rates = new IntentRates(new IntentRateLimits(10, 1, 0));
    assertEquals(0, rates.take(A, 0, 0));
    assertEquals(100 * MS, rates.take(A, 0, 0));
    assertEquals(0, rates.take(B, 0, 0));
    assertEquals(1, rates.of(A, 0).rejected());
    assertEquals(0, rates.of(B, 0).rejected());
  }

  @Test
  void theSameLimitsAgainGiveNoNewBurst() {
    IntentRates rates = new IntentRates(new IntentRateLimits(10, 1, 0));
    assertEquals(0, rates.take(A, 0, 0));
    rates.limit(new IntentRateLimits(10, 1, 0), 0);
    assertEquals(100 * MS, rates.take(A, 0, 0));
    rates.limit(new IntentRateLimits(10, 2, 0), 0);
    assertEquals(0, rates.take(A, 0, 0), "others do");
  }

  @Test
  void theLaterOfTheTwoBucketsDecides() {
    IntentRates rates = new IntentRates(new IntentRateLimits(10, 1, 2 * MIB));
    assertEquals(0, rates.take(A, 2 * MIB, 0));
    assertEquals(100 * MS, rates.take(A, MIB / 16, 0), "31 ms for its bytes, 100 for itself");
    assertEquals(500 * MS, rates.take(A, MIB, 0));
  }

  @Test
  void whatIsRefusedCostsNothingInEitherBucket() {
    IntentRates rates = new IntentRates(new IntentRateLimits(10, 1, MIB));
    assertEquals(0, rates.take(A, 0, 0));
    for (int i = 0; i < 10; i++) {
      assertEquals(100 * MS, rates.take(A, MIB, 0));
    }
    assertEquals(0, rates.take(A, MIB, 100 * MS));
  }

  @Test
  void theLargestWriteGetsThroughTheSmallestLimit() {
    IntentRates rates = new IntentRates(new IntentRateLimits(0, 1, 1));
    assertEquals(0, rates.take(A, MIB, 0));
    assertEquals(MIB * SECOND, rates.take(A, MIB, 0));
  }

  @Test
  void theRateIsOfSecondsThatAreOverAndNotIdle() {
    IntentRates rates = new IntentRates(new IntentRateLimits(1_000, 50, 0));
    for (int second : new int[] {0, 1, 5}) {
      for (int i = 0; i < 100; i++) {
        var _ = rates.take(A, 0, second * SECOND);
      }
      assertEquals(second == 0 ? 0 : 50, rates.of(A, second * SECOND).perSecondP50());
    }
    assertEquals(new IntentRates.Figures(150, 50, 50), rates.of(A, 6 * SECOND));
    assertEquals(new IntentRates.Figures(0, 0, 0), rates.of(B, 6 * SECOND));
  }
}
