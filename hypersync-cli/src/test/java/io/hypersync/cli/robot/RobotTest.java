package io.hypersync.cli.robot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.Invocation;
import io.hypersync.runtime.admin.AdminCommand;
import io.hypersync.runtime.admin.AdminServer;
import io.hypersync.runtime.admin.RunDirectory;
import io.hypersync.runtime.admin.UserError;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Robot commands with daemons whose answers are scripted: envelope, codes, words. */
final class RobotTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String TEAM = "00112233445566778899aabbccddeeff";
  private static final String OTHER = "ff112233445566778899aabbccddeeff";

  @TempDir Path run;

  private int exitCode;
  private String complaints = "";

  private JsonNode robot(String... words) throws IOException {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    exitCode =
        Robot.run(
            List.of(words),
            Map.of(RunDirectory.VARIABLE, run.toString()),
            Path.of("/elsewhere"),
            Instant.now(),
            new PrintWriter(out),
            new PrintWriter(err));
    complaints = err.toString();
    JsonNode answer = JSON.readTree(out.toString());
    assertEquals(exitCode == 0, answer.path("success").asBoolean(), answer::toString);
    assertEquals(exitCode, answer.path("_meta").path("exit_code").asInt(), answer::toString);
    assertEquals("1.0.0", answer.path("version").asText());
    assertTrue(
        answer.path("timestamp").asText().matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ"),
        answer::toString);
    return answer;
  }

  private static ObjectNode json(String text) {
    try {
      return (ObjectNode) JSON.readTree(text.replace('\'', '"'));
    } catch (IOException malformed) {
      throw new AssertionError(malformed);
    }
  }

  private AdminServer leader(String workspace, Map<String, AdminCommand> more) {
    Path socket = run.resolve("leader-" + workspace.substring(0, 8) + ".sock");
    Map<String, AdminCommand> commands = new HashMap<>(more);
    commands.putIfAbsent(
        "status",
        _ ->
            json(
                "{'role':'leader','workspace':'"
                    + workspace
                    + "','workspace_name':'n"
                    + workspace.substring(0, 2)
                    + "','address':'10.0.0.1:7890','commit_index':48211,'workers':["
                    + "{'worker_id':'fmd','connected':true,'address':'10.0.0.2:5000','heard_ms':20,"
                    + "'applied_index':48211,'lag':0,'read_only':false,'installing':false,"
                    + "'apply_error':null,'local_pressure':{'cpu_percent':41,'memory_percent':30,"
                    + "'disk_percent':95,'sync_lag_ms':2.5,'commit_rtt_ms':null,'agents':12},"
                    + "'placement':{'stable':true,'reasons':[],'cost':0.2,'agents':12}},"
                    + "{'worker_id':'yto','connected':true,'address':'[::1]:5000','heard_ms':20,"
                    + "'applied_index':1,'lag':48210,'read_only':true,'apply_error':"
                    + "{'log_index':2,'errno':'ENOSPC','message':'disk full'},'local_pressure':null}],"
                    + "'absent':[{'worker_id':'css','state':'left','address':'10.0.0.4:1',"
                    + "'reason':'gone','since_ms':1,'last_ms':60000,'times':1,'applied_index':7}],"
                    + "'invariants_broken':{'PREFIX':0},"
                    + "'reservations':{'source':'none'}}"));
    commands.putIfAbsent("hazards", _ -> json("{'commit_index':48211,'entries':[]}"));
    commands.putIfAbsent("reservations", _ -> json("{'source':'none','fresh':false}"));
    return AdminServer.start(socket, commands);
  }

  private AdminServer worker(String workspace, boolean isConnected) {
    return AdminServer.start(
        run.resolve("worker-" + workspace.substring(0, 8) + "-fmd.sock"),
        Map.of(
            "status",
            _ ->
                json(
                    "{'role':'worker','worker_id':'fmd','workspace':'"
                        + workspace
                        + "','mount':'/ntmfs/ws/team','local':'/ntmfs/local/team',"
                        + "'leader':'main:7890','link':'live','link_reason':'no answer','connected':"
                        + isConnected
                        + ",'read_only':"
                        + !isConnected
                        + ",'applied_index':5,'commit_index':9,'apply_error':null,"
                        + "'catch_up':{'entries_behind':4},'invariants_broken':{},"
                        + "'agents':{'seen':[{'agent':'Blue','calls':1,'last_call_ms':1}]}}")));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "snapshot",
        "status",
        "workers",
        "hazards",
        "reservations",
        "place --count 1",
        "health"
      })
  void withoutADaemonADependencyIsMissing(String line) throws IOException {
    JsonNode answer = robot(line.split(" ", -1));
    assertEquals(2, exitCode);
    assertEquals("DEPENDENCY_MISSING", answer.path("error_code").asText());
    assertFalse(answer.path("hint").asText().isEmpty());
    assertFalse(answer.has("_agent_hints"));
    assertEquals("", complaints);
  }

  @Test
  void capabilitiesNeedNoDaemonAndNameEveryCommand() throws IOException {
    JsonNode answer = robot("capabilities");
    assertEquals(RobotAction.values().length, answer.path("commands").size());
    assertEquals("hypersync", answer.path("tool").path("name").asText());
    assertTrue(
        answer.path("tool").path("version").asText().matches("\\d+\\.\\d+\\.\\d+.*"),
        answer::toString);
  }

  @ParameterizedTest
  @CsvSource({
    "'',                          MISSING_REQUIRED",
    "frobnicate,                  INVALID_ARGS",
    "snapshot --frobnicate,       INVALID_FLAG",
    "snapshot --count 3,          INVALID_FLAG",
    "snapshot extra,              INVALID_ARGS",
    "workers --limit,             MISSING_REQUIRED",
    "workers --limit many,        INVALID_ARGS",
    "workers --limit 0,           INVALID_ARGS",
    "workers --offset=-1,         INVALID_ARGS",
    "hazards --since yesterday,   INVALID_ARGS",
    "place --count 4 --explain=1, INVALID_FLAG",
  })
  void aMisuseIsAnErrorAndNotUnavailable(String line, String code) throws IOException {
    try (AdminServer _ = leader(TEAM, Map.of())) {
      JsonNode answer = robot(line.isEmpty() ? new String[0] : line.split(" ", -1));
      assertEquals(1, exitCode);
      assertEquals(code, answer.path("error_code").asText(), answer::toString);
      assertEquals("", complaints);
    }
  }

  @Test
  void placeWithoutACountSaysWhatIsMissing() throws IOException {
    try (AdminServer _ = leader(TEAM, Map.of())) {
      assertEquals("MISSING_REQUIRED", robot("place").path("error_code").asText());
      assertEquals("INVALID_ARGS", robot("place", "--count", "257").path("error_code").asText());
    }
  }

  @Test
  void whoSaysWhatIsMissing() throws IOException {
    try (AdminServer _ = leader(TEAM, Map.of())) {
      assertEquals("MISSING_REQUIRED", robot("who").path("error_code").asText());
      assertEquals("MISSING_REQUIRED", robot("who", "a", "b").path("error_code").asText());
      assertEquals("INVALID_ARGS", robot("who", "a", "--limit", "0").path("error_code").asText());
      assertEquals("INVALID_ARGS", robot("who", "/elsewhere").path("error_code").asText());
    }
  }

  @Test
  void aSnapshotHasWorkersHazardsAndReservations() throws IOException {
    try (AdminServer _ = leader(TEAM, Map.of("hazards", _ -> hazards()));
        AdminServer _ = worker(TEAM, true)) {
      JsonNode hypersync = robot("snapshot").path("hypersync");
      assertEquals("n00", hypersync.path("workspace").asText());
      assertEquals("/ntmfs/ws/team", hypersync.path("mount").asText());
      assertTrue(hypersync.path("leader_reachable").asBoolean());
      assertEquals(48211, hypersync.path("commit_index").asLong());
      JsonNode workers = hypersync.path("workers");
      assertEquals(
          "[\"healthy\",\"degraded\",\"offline\"]",
          JSON.valueToTree(workers.valueStream().map(each -> each.path("status")).toList())
              .toString());
      assertEquals("10.0.0.2", workers.path(0).path("host").asText());
      assertEquals("::1", workers.path(1).path("host").asText());
      assertEquals(12, workers.path(0).path("agent_count").asInt());
      assertFalse(workers.path(0).has("commit_rtt_ms"), "what is not known is left out");
      assertFalse(workers.path(1).has("cpu_percent"));
      assertEquals(1, hypersync.path("hazards").size(), hypersync::toString);
      assertEquals(1, hypersync.path("hazard_counts").path("active").asInt());
      assertEquals(
          "health:source:not_configured",
          hypersync.path("reservations").path("source").path("reason_code").asText());
    }
  }

  private static ObjectNode hazards() {
    Instant now = Instant.now();
    return json(
        "{'commit_index':9,'entries':["
            + entry(5, now.minusSeconds(1_200))
            + ","
            + entry(6, now)
            + "]}");
  }

  private static String entry(int index, Instant at) {
    return "{'log_index':"
        + index
        + ",'committed_at':'"
        + at
        + "','worker_id':'fmd','agent':'Blue','hazards':[{'kind':'overlapping_write',"
        + "'conflicts_with':4,'agent':'Green','worker_id':'yto','path':'a\\\\xff','node':'n'}]}";
  }

  @Test
  void hazardsAreNtmsConflictsTheNewestFirst() throws IOException {
    try (AdminServer _ = leader(TEAM, Map.of("hazards", _ -> hazards()))) {
      JsonNode answer = robot("hazards");
      assertEquals(2, answer.path("total_matches").asInt());
      JsonNode first = answer.path("hazards").path(0);
      assertEquals("hz-6", first.path("id").asText());
      assertEquals("file_conflict", first.path("type").asText());
      assertEquals("[\"a\\\\xff\"]", first.path("files").toString());
      assertEquals("[\"Blue\",\"Green\"]", first.path("agents").toString());
      assertFalse(first.path("resolved").asBoolean());
      assertTrue(answer.path("hazards").path(1).path("resolved").asBoolean());
      JsonNode lately = robot("hazards", "--since", "10m");
      assertEquals(1, lately.path("total_matches").asInt());
      assertEquals("10m", lately.path("filters").path("since").asText());
      assertEquals(2, lately.path("hazard_counts").path("last_hour").asInt(), "filters or not");
    }
  }

  @Test
  void listsAreTurnedPageByPage() throws IOException {
    try (AdminServer _ = leader(TEAM, Map.of())) {
      JsonNode page = robot("workers", "--limit", "2", "--offset=0");
      assertEquals(2, page.path("count").asInt());
      assertTrue(page.path("has_more").asBoolean());
      JsonNode last = robot("workers", "--limit", "2", "--offset", "2");
      assertEquals("css", last.path("workers").path(0).path("id").asText());
      assertFalse(last.path("has_more").asBoolean());
      assertEquals("[]", robot("workers", "--offset", "99").path("workers").toString());
    }
  }

  @Test
  void aWorkerThatHasLostItsLeaderIsAnAnswer() throws IOException {
    try (AdminServer _ = worker(TEAM, false)) {
      JsonNode answer = robot("snapshot");
      assertEquals(0, exitCode);
      assertFalse(answer.path("hypersync").path("leader_reachable").asBoolean());
      assertTrue(answer.path("hypersync").path("read_only").asBoolean());
      assertFalse(answer.path("hypersync").has("reservations"), "not known is not none");
      assertTrue(
          answer.path("_agent_hints").path("warnings").path(0).asText().contains("main:7890"),
          answer::toString);
      JsonNode hazards = robot("hazards");
      assertEquals(2, exitCode);
      assertEquals("DEPENDENCY_MISSING", hazards.path("error_code").asText());
      JsonNode health = robot("health");
      assertEquals(0, exitCode);
      assertEquals("unhealthy", health.path("status").asText());
    }
  }

  @Test
  void healthNamesEachProblemAndWhatToDo() throws IOException {
    try (AdminServer _ = leader(TEAM, Map.of())) {
      JsonNode health = robot("health");
      List<String> problems =
          health
              .path("checks")
              .valueStream()
              .filter(check -> !check.path("ok").asBoolean())
              .map(check -> check.path("reason_code").asText())
              .toList();
      assertTrue(problems.contains("health:worker:offline"), problems::toString);
      assertTrue(problems.contains("health:disk:nearly_full"), problems::toString);
      for (JsonNode check : health.path("checks")) {
        assertEquals(check.path("ok").asBoolean(), !check.has("suggested_action"));
      }
    }
  }

  @Test
  void ofSeveralWorkspacesOneMustBeNamed() throws IOException {
    try (AdminServer _ = leader(TEAM, Map.of());
        AdminServer _ = leader(OTHER, Map.of())) {
      assertEquals("MISSING_REQUIRED", robot("status").path("error_code").asText());
      assertEquals(
          OTHER,
          robot("status", "--workspace", "nff").path("hypersync").path("workspace_id").asText());
      assertEquals(
          TEAM,
          robot("status", "--workspace=0011").path("hypersync").path("workspace_id").asText());
      assertEquals("NOT_FOUND", robot("status", "--workspace", "x").path("error_code").asText());
    }
  }

  @Test
  void whatALeaderRefusesIsAnError() throws IOException {
    AdminCommand refusing =
        _ -> {
          throw new UserError("no", "do this");
        };
    try (AdminServer _ = leader(TEAM, Map.of("reservations", refusing))) {
      JsonNode answer = robot("reservations");
      assertEquals(1, exitCode);
      assertEquals("no", answer.path("error").asText());
      assertEquals("do this", answer.path("hint").asText());
    }
  }

  @Test
  void theLongWayReadsTheSameOptions() throws IOException {
    try (AdminServer _ = leader(TEAM, Map.of())) {
      Invocation said =
          Invocation.of("robot", "workers", "--limit", "1", "--run-dir", run.toString());
      assertEquals(0, said.exitCode(), said.err() + said.out());
      assertEquals(1, JSON.readTree(said.out()).path("count").asInt(), said.out());
    }
  }
}
