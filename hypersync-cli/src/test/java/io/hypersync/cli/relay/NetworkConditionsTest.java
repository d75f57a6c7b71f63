package io.hypersync.cli.relay;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How many packets are lost, and how many in a row. */
final class NetworkConditionsTest {
  private static final int PACKETS = 2_000_000;

  @ParameterizedTest(name = "{0} lost, {1} in a row")
  @CsvSource({"0.01, 1", "0.05, 1", "0.05, 4", "0.01, 20", "0.3, 100"})
  void asManyAreLostAsIsSaid(double lost, double inARow) {
    NetworkConditions conditions = NetworkConditions.path(lost, inARow, Duration.ZERO);
    SplittableRandom random = new SplittableRandom(1);
    int dropped = 0;
    int bursts = 0;
    boolean wasLost = false;
    for (int i = 0; i < PACKETS; i++) {
      boolean isLost = random.nextDouble() < conditions.lossOf(wasLost);
      dropped += isLost ? 1 : 0;
      bursts += isLost && !wasLost ? 1 : 0;
      wasLost = isLost;
    }
    assertEquals(lost, (double) dropped / PACKETS, lost / 10);
    // Each by itself: two neighbours are both lost as often as chance has it.
    double usual = inARow > 1 ? inARow : 1 / (1 - lost);
    assertEquals(usual, (double) dropped / bursts, usual / 10);
  }
}
