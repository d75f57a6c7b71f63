package io.hypersync.mutants;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.hypersync.sim.Simulation;
import io.hypersync.sim.SimulationFailure;
import io.hypersync.sim.SimulationOptions;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
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
 */
@Tag("slow")
class MutantsTest {
  private static final int STEPS = 3_000;
  private static final int HISTORIES = Integer.getInteger("hypersync.mutants.histories", 1_000);
  private static final int CONTROLS = 20;

  /** A part of the names of those that are run. */
  private static final String ONLY = System.getProperty("hypersync.mutants.only", "");

  private static final int THREADS = 2;
  private static final long LONGEST_MINUTES = 5;
  private static final Logger AGENTS = (Logger) LoggerFactory.getLogger("io.hypersync");

  /** Runs two mutants at a time; each test waits for the result of its own. */
  private static final ExecutorService RUNNERS =
      Executors.newFixedThreadPool(THREADS, Thread.ofPlatform().daemon().factory());

  private static final Map<Mutant, Future<@Nullable String>> RUNS = new LinkedHashMap<>();
  private static Level levelBefore = Level.OFF;

  static List<Mutant> mutants() {
    return Mutants.ALL.stream().filter(mutant -> mutant.what().contains(ONLY)).toList();
  }

  @BeforeAll
  static void start() {
    levelBefore = AGENTS.getLevel() == null ? Level.INFO : AGENTS.getLevel();
    AGENTS.setLevel(Level.OFF); // histories contain thousands of injected outages
    for (Mutant mutant : mutants()) {
      RUNS.put(mutant, RUNNERS.submit(() -> firstFailure(mutant, HISTORIES)));
    }
  }

  @AfterAll
  static void end() {
    RUNNERS.shutdownNow();
    AGENTS.setLevel(levelBefore);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("mutants")
  void isCaught(Mutant mutant) throws Exception {
    String failure =
        Objects.requireNonNull(RUNS.get(mutant)).get(LONGEST_MINUTES, TimeUnit.MINUTES);
    if (failure == null) {
      fail("survives " + HISTORIES + " histories of " + STEPS + " steps");
    }
    System.out.println(mutant + ": " + failure);
  }

  /** The control: loaded in the same way, with a change that has no effect. */
  @Test
  void aProgramThatIsNotWrongIsNotCaught() throws Exception {
    Mutant unchanged =
        Mutant.replaces("nothing", "leader.sequencer.Sequencer", "sequence", "Math.max", "larger");
    String failure = firstFailure(unchanged, CONTROLS);
    assertTrue(failure == null, () -> "caught though it is right: " + failure);
  }

  /** The first failure that the simulator finds in a mutant; null if it finds none. */
  private static @Nullable String firstFailure(Mutant mutant, int histories) throws Exception {
    MutantLoader loader = new MutantLoader(mutant);
    Class<?> options = loader.loadClass(SimulationOptions.class.getName());
    Method run = loader.loadClass(Simulation.class.getName()).getMethod("run", options);
    String found = null;
    for (long seed = 0; seed < histories && found == null; seed++) {
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
          found = String.valueOf(caught.getMessage()).lines().findFirst().orElse("");
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
