package io.hypersync.e2e.faults;

import io.hypersync.e2e.harness.RealMounts;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Runs the fault matrix (hypersync.md 22.3); its cells are in {@link FaultCell}.
 *
 * <p>{@code -Dhypersync.faults.long=true} adds the cells that last longer than ten seconds, {@code
 * -Dhypersync.faults.cell} runs only one, {@code -Dhypersync.seed} determines which packets are
 * lost.
 */
@RealMounts
class FaultMatrixTest {
  private static final long SEED = Long.getLong("hypersync.seed", System.nanoTime());

  private static @Nullable FaultStage stage;

  static Stream<FaultCell> cells() {
    String only = System.getProperty("hypersync.faults.cell");
    return only == null
        ? FaultCell.chosen(Boolean.getBoolean("hypersync.faults.long"))
        : Stream.of(FaultCell.valueOf(only));
  }

  /** All cells share one workspace; it is replaced if a failed cell has left it in a bad state. */
  @BeforeEach
  void raise() throws Exception {
    if (stage != null && !stage.isHealthy()) {
      closeStage();
    }
    if (stage == null) {
      stage = FaultStage.start(SEED);
    }
  }

  @ParameterizedTest
  @MethodSource("cells")
  @Timeout(value = 20, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void allIsAsTheCallersWereTold(FaultCell cell) throws Exception {
    FaultStage on = stage();
    try {
      System.out.println(new FaultRun(cell, on).run());
    } catch (Exception | Error failure) {
      System.err.printf(
          "-Dhypersync.faults.cell=%s -Dhypersync.seed=%d: %s%n%s",
          cell, SEED, failure, on.cluster().logs());
      throw failure;
    }
  }

  @AfterAll
  static void closeStage() throws IOException {
    if (stage != null) {
      FaultStage old = stage;
      stage = null;
      old.close();
    }
  }

  private static FaultStage stage() {
    if (stage == null) {
      throw new IllegalStateException("not raised");
    }
    return stage;
  }
}
