package io.hypersync.raptorq;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Ranks alone decide whether symbols are enough, so no data is decoded. {@code
 * -Dhypersync.raptorq.trials=20000000} takes some minutes and shows the third rate; {@code
 * -Dhypersync.raptorq.seed} makes other trials.
 */
@DisplayName("Random symbols of a block")
final class FailureRateTest {
  private static final int TRIALS = Integer.getInteger("hypersync.raptorq.trials", 200_000);
  private static final long SEED = Long.getLong("hypersync.raptorq.seed", 6330);
  private static final int SMALLEST_K = 10;
  private static final int GREATEST_K = 60;
  private static final double[] LIMITS = {1e-2, 1e-4, 1e-6};

  @Test
  @DisplayName(
      "are not enough in 1 % at most if they are K, 0.01 % with one more, 0.0001 % with two")
  void rates() {
    Code[] codes = new Code[GREATEST_K + 1];
    for (int k = SMALLEST_K; k <= GREATEST_K; k++) {
      codes[k] = Code.of(k, OctetRows.scalar());
    }
    Random random = new Random(SEED);
    int[] failures = new int[LIMITS.length];
    for (int trial = 0; trial < TRIALS; trial++) {
      int k = SMALLEST_K + random.nextInt(GREATEST_K + 1 - SMALLEST_K);
      int needed = surplusNeeded(codes[k], random);
      for (int surplus = 0; surplus < Math.min(needed, LIMITS.length); surplus++) {
        failures[surplus]++;
      }
    }
    for (int surplus = 0; surplus < LIMITS.length; surplus++) {
      System.out.printf(
          "K + %d symbols: %d of %d trials fail, seed %d%n",
          surplus, failures[surplus], TRIALS, SEED);
      assertTrue(failures[surplus] < Math.max(1, LIMITS[surplus] * TRIALS), "K + " + surplus);
    }
  }

  /** How many symbols beyond K are needed until all are enough. */
  private static int surplusNeeded(Code code, Random random) {
    int k = code.sourceSymbols();
    int[] lost = random.ints(0, k).limit(1 + random.nextInt(k)).distinct().toArray();
    SmallSystem system = new SmallSystem(lost.length, 0, OctetRows.scalar());
    Set<Integer> ids = new HashSet<>();
    while (system.rank() < lost.length) {
      int id = k + random.nextInt(Code.MAX_ID + 1 - k);
      if (ids.add(id)) {
        byte[] factors = code.factors(id);
        byte[] row = new byte[lost.length];
        for (int i = 0; i < lost.length; i++) {
          row[i] = factors[lost[i]];
        }
        system.add(row);
      }
    }
    return ids.size() - lost.length;
  }
}
