package io.hypersync.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/**
 * The promises of design 1, in hundreds of histories. A failure names its seed; {@code
 * -Dhypersync.sim.seed=N [-Dhypersync.sim.steps=N]} runs that history alone, {@code
 * -Dhypersync.sim.histories=N} more fresh ones.
 */
class SimulationTest {
  private static final String SEED = "hypersync.sim.seed";
  private static final int STEPS = Integer.getInteger("hypersync.sim.steps", 3_000);
  private static final int FIXED = 600;
  private static final int FRESH = Integer.getInteger("hypersync.sim.histories", 400);

  private final Logger agents = (Logger) LoggerFactory.getLogger("io.hypersync");
  private Level levelBefore = Level.OFF;

  @BeforeEach
  void silenceTheAgents() {
    levelBefore = agents.getLevel() == null ? Level.INFO : agents.getLevel();
    agents.setLevel(Level.OFF); // thousands of outages, all of them wanted
  }

  @AfterEach
  void letThemSpeak() {
    agents.setLevel(levelBefore);
  }

  @Test
  void theSameSeedGivesTheSameHistory() {
    SimulationOptions options = new SimulationOptions(7, STEPS);
    assertEquals(Simulation.run(options), Simulation.run(options));
  }

  @Test
  void anotherSeedGivesAnotherHistory() {
    assertNotEquals(
        Simulation.run(new SimulationOptions(7, STEPS)).fingerprint(),
        Simulation.run(new SimulationOptions(8, STEPS)).fingerprint());
  }

  @Test
  void fixedSeedsKeepEveryPromise() {
    if (Long.getLong(SEED) == null) {
      run(0, FIXED);
    } else {
      System.out.println(Simulation.run(new SimulationOptions(Long.getLong(SEED), STEPS)));
    }
  }

  @Test
  void freshSeedsKeepEveryPromise() {
    if (Long.getLong(SEED) == null) {
      long first = ThreadLocalRandom.current().nextLong(1L << 40);
      System.out.println("simulating the " + FRESH + " histories from seed " + first + " on");
      run(first, FRESH);
    }
  }

  /**
   * Histories that went wrong once.
   *
   * <p>56: an intent was refused, its copy committed; 112 and 10096: intents of one client in the
   * wrong order; 115 and 10341: a call without an answer.
   */
  @ParameterizedTest
  @ValueSource(longs = {56, 112, 115, 153, 10_040, 10_092, 10_096, 10_341, 12_453})
  void whatWentWrongOnceStaysRight(long seed) {
    Simulation.run(new SimulationOptions(seed, 2 * STEPS));
  }

  @Test
  void theHistoriesAreWorthTheirName() {
    SimulationReport[] reports =
        LongStream.range(0, 40)
            .mapToObj(seed -> Simulation.run(new SimulationOptions(seed, STEPS)))
            .toArray(SimulationReport[]::new);
    long committed = 0;
    long failed = 0;
    long unknown = 0;
    long locks = 0;
    long faults = 0;
    long reaped = 0;
    for (SimulationReport report : reports) {
      committed += report.committed();
      failed += report.failed();
      unknown += report.unknown();
      locks += report.locks();
      faults += report.faults();
      reaped += report.reaped();
    }
    assertTrue(
        committed > 1_000
            && failed > 1_000
            && unknown > 0
            && locks > 300
            && faults > 300
            && reaped > 200,
        String.format(
            "too tame to find anything: committed %d, failed %d, unknown %d, locks %d, faults"
                + " %d, reaped %d",
            committed, failed, unknown, locks, faults, reaped));
  }

  @Test
  void theCommandLineTakesASeed() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    int status =
        SimulatorMain.run(
            new String[] {"--seed", "5", "--steps", "200"},
            new PrintStream(out, true, StandardCharsets.UTF_8));
    assertEquals(0, status);
    assertTrue(out.toString(StandardCharsets.UTF_8).contains("seed=5"));
  }

  @Test
  void theCommandLineRefusesWhatItDoesNotKnow() {
    assertEquals(
        2,
        SimulatorMain.run(
            new String[] {"--sed", "5"},
            new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8)));
  }

  private static void run(long first, int count) {
    for (long seed = first; seed < first + count; seed++) {
      Simulation.run(new SimulationOptions(seed, STEPS));
    }
  }
}
