package io.hypersync.failover;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The models of {@code src/test/promela}, in all their states by spin; {@code
 * docs/failover-model.md} says what they are models of. Each wrong program must be found, by the
 * property that it breaks.
 */
@Tag("slow")
@Timeout(300) // two processors need 40 s for the largest one, if others use them, too
final class FailoverModelTest {
  private static final Path MODELS = Path.of("src/test/promela").toAbsolutePath();
  private static final int MEGABYTES = 1_500;

  @TempDir Path directory;

  @ParameterizedTest
  @CsvSource({"claim,", "mutex,", "mutex, PAUSES FENCES", "replication,"})
  void whatIsPromisedHoldsInAllStates(String model, @Nullable String defines) throws Exception {
    String said = checked(model, defines);
    assertTrue(said.contains("errors: 0"), said);
    assertFalse(said.contains("Search not completed"), said);
  }

  @ParameterizedTest
  @CsvSource({
    "claim, UNLOCKED, many<=1",
    "claim, TRUSTS_FOR_EVER, many<=1",
    "claim, TAKES_EARLY, many<=1",
    "claim, RELEASE_STOMPS, many<=1",
    "claim, NEVER_TAKES_FROM_THE_LIVING, leaderless",
    "mutex, NO_CONFIRMATION, on[0]",
    "mutex, TAKES_EARLY, on[0]",
    "mutex, LOSS_IGNORED, on[0]",
    "mutex, PAUSES, on[0]",
    "mutex, BLANK_BEFORE_STOP, on[0]",
    "mutex, OWN_TOKEN_STARTS, on[0]",
    "mutex, NEVER_TAKES, leaderless",
    "replication, ACK_WITHOUT_STANDBY, acked[i]",
    "replication, ACK_BEFORE_STANDBY_SYNCS, acked[i]",
    "replication, GAP_IGNORED, acked[i]",
    "replication, DIVERGED_TAIL_KEPT, acked[i]",
    "replication, LOWER_TERM_ACCEPTED, late[",
    "replication, TERM_NOT_SYNCED, late[",
    "replication, TERM_FROM_OWN_STATE, term_of[",
    "replication, REPLACED_UNASKED, complete[0]",
  })
  void aWrongProgramIsFound(String model, String defines, String property) throws Exception {
    String said = checked(model, defines);
    assertTrue(said.contains("errors: 1"), said);
    String violated =
        said.lines().filter(line -> line.contains("assertion violated")).findFirst().orElse("");
    assertTrue(violated.contains(property), violated);
  }

  /** What the checker says about a model, with these names defined, divided by blanks. */
  private String checked(String model, @Nullable String defines) throws Exception {
    List<String> translate = new ArrayList<>(List.of("spin"));
    if (defines != null) {
      for (String name : defines.split(" ", -1)) {
        translate.add("-D" + name);
      }
    }
    translate.addAll(List.of("-a", MODELS.resolve(model + ".pml").toString()));
    var _ = run(translate);
    // In the order of their distance, so the shortest wrong history is the one that is found.
    var _ =
        run(
            List.of(
                "cc",
                "-w",
                "-O1",
                "-DSAFETY",
                "-DBFS",
                "-DMEMLIM=" + MEGABYTES,
                "-o",
                "pan",
                "pan.c"));
    return run(List.of("./pan"));
  }

  private String run(List<String> command) throws IOException, InterruptedException {
    Path output = Files.createTempFile(directory, "output", "");
    Process process =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      assertTrue(process.waitFor(250, TimeUnit.SECONDS), () -> "it hangs: " + command);
      String said = Files.readString(output);
      assertEquals(0, process.exitValue(), () -> command + ": " + said);
      return said;
    } finally {
      process.destroyForcibly();
    }
  }
}
