package io.hypersync.cli.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hypersync.cli.Invocation;
import io.hypersync.runtime.admin.AdminServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What people and programs read of a placement. */
final class PlaceCommandTest {
  private static final String DECISION =
      """
      {"decision":3,"decided_at":"2026-08-22T10:00:00Z","session":"payments","count":5,"unplaced":UNPLACED,
       "placements":[{"worker":"fmd","host":"10.0.0.2","count":5}],
       "excluded":[{"worker":"yto","reasons":[
         {"code":"cpu_utilization","text":"cpu_utilization is 97%, the limit is 85%"}]}],
       "evidence":{"seed":"42",
         "candidates":[{"worker":"fmd","agents":2,"cost_mean":0.25,"cost_deviation":0.01,
           "observations":29.6,"penalties":{"cpu_utilization":0.1,"memory_pressure":0.05,
             "sync_lag":0.01,"commit_rtt":0.01,"agents":0.01}}],
         "picks":[{"worker":"fmd","sampled_costs":{"fmd":0.26}}]}}
      """;

  @TempDir Path run;

  private Invocation place(int unplaced, String... words) throws IOException {
    JsonNode decision =
        new ObjectMapper().readTree(DECISION.replace("UNPLACED", String.valueOf(unplaced)));
    JsonNode all =
        new ObjectMapper()
            .createObjectNode()
            .set("decisions", new ObjectMapper().createArrayNode().add(decision));
    try (AdminServer _ =
        AdminServer.start(
            run.resolve("leader-00112233.sock"),
            Map.of(
                "status",
                _ -> new ObjectMapper().createObjectNode().put("workspace_name", "team"),
                "place",
                args -> args.has("decisions") ? all : decision))) {
      String[] line = new String[words.length + 3];
      line[0] = "place";
      System.arraycopy(words, 0, line, 1, words.length);
      line[words.length + 1] = "--run-dir";
      line[words.length + 2] = run.toString();
      return Invocation.of(line);
    }
  }

  @Test
  void whoGetsHowManyAndWhoGetsNoneAndWhy() throws IOException {
    Invocation said = place(0, "--count", "5");
    assertEquals(0, said.exitCode(), said.err());
    assertEquals(
        """
        WORKER  HOST      AGENTS
        fmd     10.0.0.2       5
        Not on yto: cpu_utilization is 97%, the limit is 85%
        """,
        said.out());
  }

  @Test
  void tooLittleRoomIsAFailureThatIsSaid() throws IOException {
    Invocation said = place(2, "--count", "7");
    assertEquals(1, said.exitCode());
    assertTrue(said.out().contains("There is no room for 2 of them."), said.out());
  }

  @Test
  void theEvidenceComesOnRequestOnly() throws IOException {
    assertFalse(place(0, "--count", "5", "--json").out().contains("evidence"));
    assertTrue(place(0, "--count", "5", "--json", "--explain").out().contains("evidence"));
    String text = place(0, "--count", "5", "--explain").out();
    assertTrue(text.contains("25.0") && text.contains("seed 42"), text);
  }

  @Test
  void earlierDecisionsAreListed() throws IOException {
    Invocation said = place(0, "--decisions");
    assertEquals(0, said.exitCode(), said.err());
    assertTrue(said.out().contains("payments"), said.out());
    assertTrue(said.out().contains("fmd 5"), said.out());
    assertTrue(said.out().contains("yto (cpu_utilization)"), said.out());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "--count 3 --decisions", "--count many"})
  void aMisuseIsSaid(String line) throws IOException {
    Invocation said = place(0, line.isEmpty() ? new String[0] : line.split(" ", -1));
    assertEquals(2, said.exitCode());
    assertTrue(said.err().startsWith("hypersync: "), said.err());
  }
}
