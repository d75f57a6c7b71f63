package io.hypersync.leader.placement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Random;
import java.util.random.RandomGenerator;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;

/** What is believed of a cost, and what is drawn from that. */
class CostPosteriorTest {
  private static final long SECOND_NS = 1_000_000_000L;
  private static final int DRAWN = 20_000;

  private final CostPosterior posterior = new CostPosterior();

  private void observe(int seconds, double cost, double noise, long fromSecond) {
    Random random = new Random(4711);
    for (int i = 0; i < seconds; i++) {
      posterior.observe(cost + noise * random.nextGaussian(), (fromSecond + i) * SECOND_NS);
    }
  }

  private double[] drawn() {
    RandomGenerator random = new SeededRandom(4711);
    return DoubleStream.generate(() -> posterior.sample(random)).limit(DRAWN).toArray();
  }

  @Test
  void itLearnsTheMeanAndGetsSure() {
    double before = posterior.deviation();
    observe(120, 0.7, 0.05, 0);
    assertEquals(0.7, posterior.mean(), 0.02);
    assertEquals(30, posterior.weight(), 1, "older ones are forgotten");
    assertTrue(posterior.deviation() < before / 3, () -> before + " " + posterior.deviation());
  }

  @Test
  void itFollowsAWorkerThatChanges() {
    observe(120, 0.1, 0.01, 0);
    observe(60, 0.9, 0.01, 120);
    assertTrue(posterior.mean() > 0.75, () -> "mean " + posterior.mean());
  }

  @Test
  void inSilenceItGetsUnsureAndGoesBackToWhereItBegan() {
    observe(120, 0.9, 0.01, 0);
    double sure = posterior.deviation();
    posterior.forget(600 * SECOND_NS);
    assertTrue(posterior.deviation() > 3 * sure, () -> sure + " " + posterior.deviation());
    assertEquals(0.3, posterior.mean(), 0.01);
  }

  @Test
  void whatIsDrawnIsAsLikelyAsIsBelieved() {
    observe(120, 0.5, 0.05, 0);
    double[] drawn = drawn();
    double mean = Arrays.stream(drawn).average().orElseThrow();
    double deviation =
        Math.sqrt(Arrays.stream(drawn).map(x -> (x - mean) * (x - mean)).average().orElseThrow());
    assertEquals(posterior.mean(), mean, 0.001);
    assertEquals(1, deviation / posterior.deviation(), 0.1, "Student's t of many degrees");
  }

  @Test
  void randomNumbersWithoutRandomnessEndAllTheSame() {
    observe(3, 0.5, 0, 0);
    assertTrue(Double.isFinite(posterior.sample(() -> 0)));
  }
}
