package io.hypersync.mutants;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.hypersync.leader.oplog.chronicle.LogPromises;
import io.hypersync.runtime.file.DurableFiles;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

/**
 * Each mutant of the op log must break a guarantee that {@link LogPromises} checks; one that
 * survives shows a missing check. The unmodified log must pass.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
@Tag("slow")
class LogMutantsTest {
  private static final Logger LOG = (Logger) LoggerFactory.getLogger("io.hypersync");

  /**
   * Patience with the unmodified log on a busy machine. For mutants it is shorter, so that they are
   * detected sooner.
   */
  private static final long LONG_NANOS = 60_000_000_000L;

  private static final long SHORT_NANOS = 2_000_000_000L;

  private static Level levelBefore = Level.OFF;

  /**
   * Not a JUnit temporary directory: a mutant may leave threads that still write while it is
   * deleted.
   */
  private Path directory = Path.of("target");

  static List<Mutant> mutants() {
    return LogMutants.ALL;
  }

  @BeforeAll
  static void quiet() {
    levelBefore = LOG.getLevel() == null ? Level.INFO : LOG.getLevel();
    LOG.setLevel(Level.OFF); // the failures are injected
  }

  @AfterAll
  static void loud() {
    LOG.setLevel(levelBefore);
  }

  @BeforeEach
  void makeDirectory() throws IOException {
    directory = Files.createTempDirectory(Path.of("target").toAbsolutePath(), "log-mutant-");
  }

  @AfterEach
  void deleteDirectory() {
    try {
      DurableFiles.deleteTree(directory);
    } catch (IOException stillWritten) {
      System.out.println("left behind by a wrong log: " + stillWritten);
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("mutants")
  void isCaught(Mutant mutant) throws Exception {
    MutantLoader loader = new MutantLoader(mutant);
    String broken = firstBroken(loader);
    assertTrue(loader.changes() > 0, "nothing was changed: is there no such method or call?");
    assertNotNull(broken, "keeps all promises");
    System.out.println(mutant + ": " + broken);
  }

  @Test
  void theLogAsItIsKeepsAllPromises() throws Exception {
    assertNull(LogPromises.firstBroken(directory, LONG_NANOS));
  }

  /** The first broken guarantee, or the failure of the log itself; null if there is none. */
  private @Nullable String firstBroken(MutantLoader loader) throws Exception {
    try {
      return (String)
          loader
              .loadClass(LogPromises.class.getName())
              .getMethod("firstBroken", Path.class, long.class)
              .invoke(null, directory, SHORT_NANOS);
    } catch (InvocationTargetException failed) {
      Throwable why = failed.getCause();
      assertTrue(
          !(why instanceof NullPointerException) && !(why instanceof ClassCastException),
          () -> "stumbles over its own change: " + why);
      return "fails: " + why;
    }
  }
}
