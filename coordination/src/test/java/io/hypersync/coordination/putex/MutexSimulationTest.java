package io.hypersync.coordination.putex;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Of several agents never two have their service running, whatever happens to agents, network and
 * store; and one has it when nothing happens any more. -Dputex.seeds=100000 looks longer.
 */
class MutexSimulationTest {
  private static final long SEEDS = Long.getLong("putex.seeds", 5_000);
  private static final long SEEDS_OF_MUTANT = 5_000;

  @Test
  void neverTwoRun() {
    Map<MutexWorld.Event, Integer> counts = new EnumMap<>(MutexWorld.Event.class);
    for (long seed = 0; seed < SEEDS; seed++) {
      MutexWorld world = new MutexWorld(seed, Mutant.NONE);
      try {
        world.run();
      } catch (RuntimeException failure) {
        throw new AssertionError("seed " + seed + ": " + failure.getMessage(), failure);
      }
      world.counts().forEach((event, count) -> counts.merge(event, count, Integer::sum));
    }
    System.out.println("histories: " + SEEDS + ", " + counts);
    for (MutexWorld.Event event : MutexWorld.Event.values()) {
      assertTrue(counts.getOrDefault(event, 0) > 0, () -> event + " has never happened");
    }
  }

  @ParameterizedTest
  @EnumSource(names = "NONE", mode = EnumSource.Mode.EXCLUDE)
  void aBrokenRuleIsFound(Mutant mutant) {
    for (long seed = 0; seed < SEEDS_OF_MUTANT; seed++) {
      try {
        new MutexWorld(seed, mutant).run();
      } catch (MutexWorld.Overlap _) {
        System.out.println(mutant + " is found by seed " + seed);
        return;
      } catch (IllegalStateException _) {
        // A mutant may also end without anybody; that two run is what is looked for.
      }
    }
    throw new AssertionError(mutant + " was not found");
  }
}
