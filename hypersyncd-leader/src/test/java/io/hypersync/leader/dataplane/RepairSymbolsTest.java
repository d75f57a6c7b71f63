package io.hypersync.leader.dataplane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Repair symbols make the usual losses good. */
class RepairSymbolsTest {
  private static final int TRIALS = 20_000;

  @ParameterizedTest(name = "{0} source symbols, {1} lost: at most {2} extra")
  @CsvSource({
    "58, 0.01, 5",
    "58, 0.05, 14",
    "58, 0.10, 22",
    "8, 0.05, 4",
    "1, 0.10, 3",
    "58, 0.9, 100"
  })
  void fewChunksNeedMore(int source, double loss, int most) {
    int repair = RepairSymbols.count(source, 0, loss);
    assertTrue(repair <= most, () -> repair + " repair symbols");
    if (loss > 0.5) {
      return; // such a path is not made good
    }
    Random random = new Random(1);
    int failed = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
      int arrived = 0;
      for (int i = 0; i < source + repair; i++) {
        arrived += random.nextDouble() < loss ? 0 : 1;
      }
      failed += arrived < source + 1 ? 1 : 0;
    }
    double share = (double) failed / TRIALS;
    assertTrue(share < 0.02, () -> "of all chunks " + share + " had to be asked for");
  }

  @Test
  void theOverheadIsTheLeast() {
    assertEquals(6, RepairSymbols.count(58, 0.10, 0));
    assertEquals(0, RepairSymbols.count(58, 0, 0));
    assertEquals(58, RepairSymbols.count(58, 1, 0.05));
  }
}
