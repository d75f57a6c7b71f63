package io.hypersync.mutants;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.hypersync.sim.Simulation;
import io.hypersync.sim.SimulationFailure;
import io.hypersync.sim.SimulationOptions;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.PrimitiveIterator;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

/**
 * The simulator must detect each mutant within its first histories. A mutant that survives shows a
 * missing check.
 *
 * <p>{@code SimulationTest} shows that the unmodified program passes the same histories and more.
 *
 * <p>The hunt for a mutant begins with the seed that caught it last time ({@link RememberedSeeds}),
 * and goes on with the others if that one catches it no longer. {@code
 * -Dhypersync.mutants.seeds.write=<file>} has all of them hunted from seed 0 on, and writes what
 * caught them.
 */
@Tag("slow")
class MutantsTest {
  private static final int STEPS = 3_000;
  private static final int HISTORIES = Integer.getInteger("hypersync.mutants.histories", 3_000);
  private static final int CONTROLS = 20;

  /** A part of the names of those that are run. */
  private static final String ONLY = System.getProperty("hypersync.mutants.only", "");

  /** The file to write the seeds to; empty to begin with the remembered ones. */
  private static final String WRITE = System.getProperty("hypersync.mutants.seeds.write", "");

  private static final int THREADS = 2;
  private static final long LONGEST_MINUTES = 5;
  private static final Logger AGENTS = (Logger) LoggerFactory.getLogger("io.hypersync");

  /** Runs two mutants at a time; each test waits for the result of its own. */
  private static final ExecutorService RUNNERS =
      Executors.newFixedThreadPool(THREADS, Thread.ofPlatform().daemon().factory());

  private static final Map<Mutant, Future<@Nullable Caught>> RUNS = new LinkedHashMap<>();
  private static final Map<String, Long> CAUGHT_BY = new LinkedHashMap<>();
  private static final AtomicInteger STALE = new AtomicInteger();
  private static Level levelBefore = Level.OFF;

  /** A history that the simulator has stopped, and why. */
  private record Caught(long seed, String why) {}

  static List<Mutant> mutants() {
    return Mutants.ALL.stream().filter(mutant -> mutant.what().contains(ONLY)).toList();
  }

  @BeforeAll
  static void start() throws IOException {
    levelBefore = AGENTS.getLevel() == null ? Level.INFO : AGENTS.getLevel();
    AGENTS.setLevel(Level.OFF); // histories contain thousands of injected outages
    Map<String, Long> remembered = WRITE.isEmpty() ? RememberedSeeds.read() : Map.of();
    for (Mutant mutant : mutants()) {
      Long first = remembered.get(mutant.what());
      RUNS.put(mutant, RUNNERS.submit(() -> hunt(mutant, first)));
    }
  }

  @AfterAll
  static void end() throws IOException {
    if (!WRITE.isEmpty()) {
      Map<String, Long> seeds = new LinkedHashMap<>(RememberedSeeds.read());
      seeds.putAll(CAUGHT_BY);
      seeds.keySet().retainAll(Mutants.ALL.stream().map(Mutant::what).toList());
      RememberedSeeds.write(Path.of(WRITE), seeds);
    }
    int stale = STALE.get();
    if (stale > 0) {
      System.out.println(
          stale
              + " remembered seeds catch their mutants no longer; write them anew, see testing.md");
    }
    RUNNERS.shutdownNow();
    AGENTS.setLevel(levelBefore);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("mutants")
  void isCaught(Mutant mutant) throws Exception {
    Caught caught = Objects.requireNonNull(RUNS.get(mutant)).get(LONGEST_MINUTES, TimeUnit.MINUTES);
    if (caught == null) {
      fail("survives " + HISTORIES + " histories of " + STEPS + " steps");
    }
    CAUGHT_BY.put(mutant.what(), caught.seed);
    System.out.println(mutant + ": " + caught.why);
  }

  @Test
  void theRememberedSeedsAreThoseOfMutants() throws Exception {
    List<String> known = Mutants.ALL.stream().map(Mutant::what).toList();
    assertEquals(
        List.of(),
        RememberedSeeds.read().keySet().stream().filter(what -> !known.contains(what)).toList());
  }

  /** The control: loaded in the same way, with a change that has no effect. */
  @Test
  void aProgramThatIsNotWrongIsNotCaught() throws Exception {
    Mutant unchanged =
        Mutant.replaces("nothing", "leader.sequencer.Sequencer", "sequence", "Math.max", "larger");
    Caught caught = firstFailure(unchanged, LongStream.range(0, CONTROLS));
    assertTrue(caught == null, () -> "caught though it is right: " + caught);
  }

  /** Begins with the remembered seed, if there is one. */
  private static @Nullable Caught hunt(Mutant mutant, @Nullable Long remembered) throws Exception {
    long first = mutant.emphasis().firstSeed();
    LongStream all = LongStream.range(first, first + HISTORIES);
    if (remembered == null) {
      return firstFailure(mutant, all);
    }
    Caught caught = firstFailure(mutant, LongStream.concat(LongStream.of(remembered), all));
    if (caught != null && caught.seed != remembered) {
      System.out.println(mutant + ": seed " + remembered + " catches it no longer");
      STALE.incrementAndGet();
    }
    return caught;
  }

  /** The first of these seeds with which the simulator fails; null if none does. */
  private static @Nullable Caught firstFailure(Mutant mutant, LongStream seeds) throws Exception {
    MutantLoader loader = new MutantLoader(mutant);
    Class<?> options = loader.loadClass(SimulationOptions.class.getName());
    Method run = loader.loadClass(Simulation.class.getName()).getMethod("run", options);
    Caught found = null;
    for (PrimitiveIterator.OfLong left = seeds.iterator(); left.hasNext() && found == null; ) {
      long seed = left.nextLong();
      try {
        var _ =
            run.invoke(
                null, options.getConstructor(long.class, int.class).newInstance(seed, STEPS));
      } catch (InvocationTargetException failure) {
        Throwable caught = failure.getCause();
        assertTrue(
            caught.getClass().getName().equals(SimulationFailure.class.getName()),
            () -> "the simulator itself failed: " + caught);
        if (!isItsOwn(caught.getCause())) {
          found =
              new Caught(seed, String.valueOf(caught.getMessage()).lines().findFirst().orElse(""));
        }
      }
    }
    assertTrue(loader.changes() > 0, "nothing was changed: is there no such method or call?");
    return found;
  }

  /**
   * Whether the exception comes from the bytecode change itself, which does not count as detection.
   */
  private static boolean isItsOwn(@Nullable Throwable cause) {
    return cause instanceof NullPointerException
        || cause instanceof ClassCastException
        || cause instanceof IndexOutOfBoundsException
        || cause instanceof NoSuchElementException;
  }
}
