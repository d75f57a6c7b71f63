package io.hypersync.cli.relay;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How many packets are lost, and how many one after the other. */
final class RandomLossTest {
  private static final int PACKETS = 4_000_000;
  private static final long PACKET_NS = 100_000;

  @ParameterizedTest(name = "{0} lost, in bursts of {1} ms")
  @CsvSource({"0.01, 0", "0.05, 0", "0.05, 2", "0.01, 10", "0.3, 50"})
  void asManyAreLostAsIsSaid(double lost, long burstMs) {
    NetworkConditions conditions =
        NetworkConditions.path(lost, Duration.ofMillis(burstMs), Duration.ZERO);
    RandomLoss loss = new RandomLoss(new SplittableRandom(1));
    int dropped = 0;
    int bursts = 0;
    boolean wasLost = false;
    for (int i = 0; i < PACKETS; i++) {
      boolean isLost = loss.isLost(conditions, i * PACKET_NS);
      dropped += isLost ? 1 : 0;
      bursts += isLost && !wasLost ? 1 : 0;
      wasLost = isLost;
    }
    assertEquals(lost, (double) dropped / PACKETS, lost / 10);
    // Each by itself: two neighbours are both lost as often as chance has it.
    double usual = burstMs > 0 ? burstMs * 1e6 / PACKET_NS : 1 / (1 - lost);
    assertEquals(usual, (double) dropped / bursts, usual / 10);
  }
}
