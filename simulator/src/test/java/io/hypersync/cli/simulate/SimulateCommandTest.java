package io.hypersync.cli.simulate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.sim.SeedSweepLimits;
import io.hypersync.sim.SeedSweepReport;
import io.hypersync.sim.SimulationFailure;
import io.hypersync.sim.SimulationOptions;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** {@code ./hypersync simulate}: what it runs, prints and refuses. */
class SimulateCommandTest {
  private static final long SECOND_NS = 1_000_000_000;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void runsTheHistoriesThatAreAskedFor() throws Exception {
    assertEquals(0, run("--seed", "5", "--seeds", "3", "--steps", "200", "--json"), err::toString);
    JsonNode tree = new ObjectMapper().readTree(out.toString());
    assertTrue(tree.get("ok").asBoolean());
    assertEquals(5, tree.get("first_seed").asLong());
    assertEquals(3, tree.get("histories").asLong());
    assertTrue(tree.get("steps").asLong() >= 3 * 200, tree::toString);
    assertEquals(0, tree.get("failures").size());
  }

  @Test
  void stopsWhenTimeIsUp() throws Exception {
    assertEquals(0, run("--minutes", "0.005", "--steps", "50", "--json"), err::toString);
    JsonNode tree = new ObjectMapper().readTree(out.toString());
    assertTrue(tree.get("histories").asLong() >= 1, tree::toString);
    assertTrue(tree.get("elapsed_s").asDouble() >= 0.3, tree::toString);
  }

  @Test
  void saysInWordsHowItWent() {
    assertEquals(0, run("--seed", "5", "--seeds", "2", "--steps", "200"), err::toString);
    assertTrue(out.toString().startsWith("2 histories from seed 5 on"), out::toString);
    assertTrue(out.toString().endsWith("ok\n"), out::toString);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--seeds 0",
        "--steps 0",
        "--threads 0",
        "--failures 0",
        "--minutes 0",
        "--minutes -1",
        "--sed 5"
      })
  void refusesWhatMakesNoSense(String line) {
    assertEquals(UserError.USAGE, run(line.split(" ", -1)));
    assertEquals("", out.toString());
  }

  @Test
  void tellsHowAFailureIsSeenAgain() {
    SimulationFailure failure =
        new SimulationFailure(
            new SimulationOptions(77, 900),
            12,
            List.of("1.000 ms  something happens"),
            new IllegalStateException("an ack before its sync"));
    String command = "./hypersync simulate --seed 77 --seeds 1 --steps 900";
    assertEquals(
        """
        seed 77, step 12: an ack before its sync
          1.000 ms  something happens
        to see it again: %s"""
            .formatted(command),
        failure.getMessage());
    SeedSweepReport report = report(1, List.of(failure));
    assertTrue(
        SimulateReport.text(report)
            .endsWith("bad: seed 77: an ack before its sync\n  " + command + "\n"),
        () -> SimulateReport.text(report));
    JsonNode told = SimulateReport.tree(report).get("failures").get(0);
    assertFalse(SimulateReport.tree(report).get("ok").asBoolean());
    assertEquals(command, told.get("command").asText());
    assertEquals(12, told.get("step").asLong());
  }

  @Test
  void showsHowFarItIs() {
    assertEquals(
        "[######..................]  25 %  1:30  500 histories, 333 a minute, 0 bad",
        Progress.line(report(500, List.of())));
  }

  private static SeedSweepReport report(long histories, List<SimulationFailure> failures) {
    SeedSweepLimits limits = new SeedSweepLimits(0, 2_000, 900, 1_000 * SECOND_NS, 2, 1);
    return new SeedSweepReport(
        limits,
        histories,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        Map.of(),
        failures,
        90 * SECOND_NS,
        SECOND_NS);
  }

  private int run(String... arguments) {
    return new CommandLine(new SimulateCommand())
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .setExecutionExceptionHandler(
            (failure, _, _) -> failure instanceof UserError told ? told.exitCode() : 70)
        .execute(arguments);
  }
}
