package io.hypersync.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.sim.check.EverywhereChecker;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Runs hundreds of simulated histories. A failure names its seed and the command that runs that
 * history alone. {@code -Dhypersync.sim.histories=N} sets the number of fresh ones, {@code
 * -Dhypersync.sim.steps=N} their length.
 */
@ExtendWith(QuietAgents.class)
@Tag("slow")
class SimulationTest {
  private static final int STEPS = Integer.getInteger("hypersync.sim.steps", 3_000);
  private static final int FIXED = 600;
  private static final int EMPHASIZED = 50;
  private static final int FAILOVERS = Integer.getInteger("hypersync.sim.failovers", 200);
  private static final int FRESH = Integer.getInteger("hypersync.sim.histories", 400);

  @Test
  void theSameSeedGivesTheSameHistory() {
    SimulationOptions options = new SimulationOptions(7, STEPS);
    assertEquals(Simulation.run(options), Simulation.run(options));
  }

  @Test
  void historiesThatRunAtTheSameTimeAreTheSame() throws InterruptedException {
    SeedSweepReport alone = run(new SeedSweepLimits(0, 20, STEPS, Long.MAX_VALUE, 1, 1));
    SeedSweepReport beside = run(new SeedSweepLimits(0, 20, STEPS, Long.MAX_VALUE, 4, 1));
    assertEquals(alone.histories(), beside.histories());
    assertEquals(alone.steps(), beside.steps());
    assertEquals(alone.entries(), beside.entries());
    assertEquals(alone.faults(), beside.faults());
  }

  @Test
  void anotherSeedGivesAnotherHistory() {
    assertNotEquals(
        Simulation.run(new SimulationOptions(7, STEPS)).fingerprint(),
        Simulation.run(new SimulationOptions(8, STEPS)).fingerprint());
  }

  @Test
  void fixedSeedsKeepEveryPromise() throws InterruptedException {
    SeedSweepReport sum = run(0, FIXED);
    System.out.println(sum);
    sum.happened()
        .forEach((what, count) -> assertTrue(count > 0, () -> "never came about: " + what));
  }

  @Test
  void freshSeedsKeepEveryPromise() throws InterruptedException {
    long first = ThreadLocalRandom.current().nextLong(1L << 40);
    System.out.println("simulating the " + FRESH + " histories from seed " + first + " on");
    System.out.println(run(first, FRESH));
  }

  @Test
  void leadersAreFollowedByStandbysAndComeBack() throws InterruptedException {
    SeedSweepReport sum = run(Emphasis.FAILOVER.firstSeed(), FAILOVERS);
    System.out.println(sum);
    sum.happened().entrySet().stream()
        .filter(each -> each.getKey().startsWith("failover: "))
        .forEach(
            each -> assertTrue(each.getValue() > 0, () -> "never came about: " + each.getKey()));
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void historiesAboutOneThingKeepEveryPromise(Emphasis emphasis) throws InterruptedException {
    System.out.println(emphasis + ": " + run(emphasis.firstSeed(), EMPHASIZED));
  }

  @Test
  void workersAreCutOffAndReadOnlyWhereChangesAreVisibleEverywhere() throws InterruptedException {
    SeedSweepReport sum = run(Emphasis.VISIBLE_EVERYWHERE.firstSeed() + EMPHASIZED, EMPHASIZED);
    for (String what : List.of(EverywhereChecker.CUT_OFF, EverywhereChecker.WITHOUT_LEASE)) {
      assertTrue(sum.happened().getOrDefault(what, 0L) > 0, () -> "never came about: " + what);
    }
  }

  /**
   * Seeds whose histories once failed. Adding a fault or a random choice changes these histories;
   * every bug that they found has a test of its own, too.
   */
  @ParameterizedTest
  @CsvSource({
    "56, 6000",
    "112, 6000",
    "115, 6000",
    "153, 6000",
    "10040, 6000",
    "10092, 6000",
    "10096, 6000",
    "10341, 6000",
    "12453, 6000",
    "100532, 10000",
    "100585, 10000",
    "100698, 10000",
    "923364889821, 3000",
    "71389812407, 1000",
    "972842288705, 3000",
    "972842297673, 3000",
    "280326998909, 3000",
    "805336184356, 3000",
    "805336187575, 3000",
    "805336191328, 3000",
    "223740337773, 3000",
    "223740338892, 3000",
    "223740340855, 3000",
    "438879775361, 3000",
    "2305843009213694306, 3000",
    "1152921504606846977, 3000",
    "1152921504606846992, 3000",
    "1152921504606847015, 3000"
  })
  void whatWentWrongOnceStaysRight(long seed, int steps) {
    Simulation.run(new SimulationOptions(seed, steps));
  }

  @Test
  void theHistoriesAreWorthTheirName() throws InterruptedException {
    SeedSweepReport sum = run(0, 40);
    assertTrue(
        sum.committed() > 1_000
            && sum.failed() > 1_000
            && sum.unknown() > 0
            && sum.locks() > 300
            && sum.faults() > 300
            && sum.reaped() > 200
            && sum.explained() > 500,
        () -> "too tame to find anything: " + sum);
  }

  private static SeedSweepReport run(long first, int count) throws InterruptedException {
    int threads = Runtime.getRuntime().availableProcessors();
    return run(new SeedSweepLimits(first, count, STEPS, Long.MAX_VALUE, threads, 1));
  }

  private static SeedSweepReport run(SeedSweepLimits limits) throws InterruptedException {
    SeedSweep sweep = SeedSweep.start(limits);
    assertTrue(sweep.await(Long.MAX_VALUE), "all histories have ended");
    SeedSweepReport report = sweep.report();
    if (!report.failures().isEmpty()) {
      throw report.failures().getFirst();
    }
    return report;
  }
}
