package io.hypersync.e2e.operation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hypersync.cli.robot.Robot;
import io.hypersync.cli.robot.RobotAction;
import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.JsonSchemas;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestCluster;
import io.hypersync.runtime.admin.RunDirectory;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * What programs read is as {@code docs/schemas} says, with real daemons, names that are not UTF-8
 * and agents whose names are hostile; and it comes within 300 ms (hypersync.md 15, 16.1).
 */
@RealMounts
class RobotTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int MOST_MS = 300;
  private static final int TIMES = 5;

  private final JsonSchemas schemas;

  RobotTest() throws IOException {
    schemas = JsonSchemas.read();
  }

  @Test
  void allAnswersAreAsTheSchemasSay() throws Exception {
    try (TestCluster cluster = TestCluster.create()) {
      Path archive = cluster.root().resolve("mail");
      reserve(archive);
      cluster.startLeader(
          "--set",
          "hypersync.agent_mail.archive=" + archive,
          "--set",
          "hypersync.agent_mail.mount_paths=/ws/team");
      cluster.startWorkers("a", "b");
      overlap(cluster);
      Await.until(
          "two reservations",
          () -> robot(cluster, "reservations").path("total_matches").asInt() == 2);

      JsonNode hazards = robot(cluster, "hazards");
      List<String> files = new ArrayList<>();
      hazards.path("hazards").forEach(each -> files.add(each.path("files").path(0).asText()));
      assertTrue(files.contains("odd-\\xff"), files::toString);
      assertTrue(files.contains("src/a.go"), files::toString);
      Set<String> kinds = Set.copyOf(hazards.findValuesAsText("kind"));
      assertTrue(
          kinds.containsAll(Set.of("overlapping_write", "write_into_reservation")),
          kinds::toString);
      assertTrue(hazards.findValuesAsText("agents").size() >= 2);

      JsonNode snapshot = robot(cluster, "snapshot").path("hypersync");
      assertEquals(2, snapshot.path("workers").size(), snapshot::toString);
      assertTrue(snapshot.path("leader_reachable").asBoolean());
      assertTrue(snapshot.path("hazards").size() >= 2, snapshot::toString);
      assertEquals(2, snapshot.path("reservations").path("active").asInt());

      JsonNode placed = robot(cluster, "place", "--count", "6", "--session", "s", "--explain");
      int count = 0;
      for (JsonNode share : placed.path("placements")) {
        count += share.path("count").asInt();
      }
      assertEquals(6, count + placed.path("unplaced").asInt(), placed::toString);

      JsonNode who = robot(cluster, "who", "src/a.go");
      assertEquals("src/a.go", who.path("changes").path(0).path("path").asText());
      assertEquals("a", who.path("changes").path(0).path("worker_id").asText());

      for (RobotAction action : RobotAction.values()) {
        List<String> words = new ArrayList<>(List.of(action.word()));
        if (action == RobotAction.PLACE) {
          words.addAll(List.of("--count", "1"));
        } else if (action == RobotAction.WHO) {
          words.add("src/a.go");
        }
        inTime(cluster, words);
      }
      plainDocuments(cluster);
      wholeProgram(cluster);
    }
  }

  @Test
  void withoutDaemonsAnswersAreAsTheSchemasSay() throws Exception {
    Path nothing = Files.createTempDirectory("hs-robot-");
    for (RobotAction action : RobotAction.values()) {
      JsonNode answer = run(nothing, List.of(action.word()));
      schemas.assertValid("robot-" + action.word(), answer);
      assertEquals(action == RobotAction.CAPABILITIES, answer.path("success").asBoolean());
    }
    Files.delete(nothing);
    for (RobotAction action : RobotAction.values()) {
      assertTrue(schemas.names().contains("robot-" + action.word()));
    }
  }

  @Test
  void schemasRefuseWhatIsWrong() throws Exception {
    JsonNode bad =
        JSON.readTree(
            "{\"success\":true,\"error_code\":\"NOT_FOUND\",\"hypersync\":{\"commit_index\":-1}}");
    List<String> errors = schemas.errors("robot-snapshot", bad);
    assertTrue(errors.size() >= 4, errors::toString);
    assertEquals(Set.of("x"), schemas.undescribed("robot-status", JSON.readTree("{\"x\":1}")));
  }

  /** A file whose name is not UTF-8 is written on two hosts, and one that somebody holds. */
  private static void overlap(TestCluster cluster) throws Exception {
    Path a = cluster.mount("a");
    Path b = cluster.mount("b");
    String write = "printf %s >\"$(printf 'odd-\\377')\"";
    Shell.must(a, "env", "HYPERSYNC_AGENT=Blue", "sh", "-c", write.formatted("one"));
    cluster.settle("b");
    Shell.must(b, "env", "HYPERSYNC_AGENT=Violet", "sh", "-c", write.formatted("two"));
    Files.createDirectory(a.resolve("src"));
    Files.writeString(a.resolve("src/a.go"), "intruder");
    cluster.settle("a", "b");
  }

  private static void reserve(Path archive) throws IOException {
    Path folder = Files.createDirectories(archive.resolve("projects/team/file_reservations"));
    for (int id = 1; id <= 2; id++) {
      Files.writeString(
          folder.resolve("id-" + id + ".json"),
          """
          {"id": %d, "project": "/ws/team", "agent": "%s", "path_pattern": "src/**",
           "exclusive": true, "expires_ts": "2199-01-01T00:00:00+00:00", "released_ts": null}
          """
              .formatted(id, id == 1 ? "Red\\u001b[2J" : "Green"));
    }
  }

  /** In this process, which has run it before: what an answer takes beside the start of a JVM. */
  private void inTime(TestCluster cluster, List<String> words) throws IOException {
    long bestMs = Long.MAX_VALUE;
    for (int i = 0; i < TIMES; i++) {
      long begunNs = System.nanoTime();
      var _ = robot(cluster, words.toArray(String[]::new));
      bestMs = Math.min(bestMs, (System.nanoTime() - begunNs) / 1_000_000);
    }
    System.out.println("robot " + String.join(" ", words) + ": " + bestMs + " ms");
    assertTrue(bestMs < MOST_MS, words + " took " + bestMs + " ms");
  }

  private void plainDocuments(TestCluster cluster) throws Exception {
    for (String command : List.of("status", "hazards", "reservations")) {
      String text = cluster.hypersync(command, "--json").orFail(command);
      schemas.assertValid(command, document(text));
    }
    Shell placed = cluster.hypersync("place", "--count", "2", "--explain", "--json");
    JsonNode decision = document(placed.output());
    schemas.assertValid("place", decision);
    assertEquals(decision.path("unplaced").asInt() == 0 ? 0 : 1, placed.exit());
    Shell refused = cluster.hypersync("place", "--count", "999", "--json");
    assertEquals(2, refused.exit());
    schemas.assertValid("error", document(refused.output()));
  }

  /** As a program of its own: its output is nothing but the document, and no control character. */
  private void wholeProgram(TestCluster cluster) throws Exception {
    Shell said = cluster.hypersync("robot", "reservations");
    assertEquals(0, said.exit(), said.output());
    JsonNode answer = document(said.output());
    schemas.assertValid("robot-reservations", answer);
    assertFalse(said.output().contains("\u001b"), said.output());
    System.out.println(
        "robot reservations, a JVM without stored classes: "
            + answer.path("_meta").path("duration_ms").asLong()
            + " ms");
    assertEquals(1, cluster.hypersync("robot", "snapshot", "--frobnicate").exit());
    String help = cluster.hypersync("robot", "place", "--help").orFail("help");
    assertTrue(help.contains("Usage: hypersync robot"), help);
    String version = cluster.hypersync("--version").orFail("--version");
    assertTrue(version.matches("(?s).*\\d+\\.\\d+\\.\\d+.*"), version);
  }

  /** The document that a program has written behind what it says on standard error. */
  private static JsonNode document(String output) throws IOException {
    return JSON.readTree(output.substring(output.indexOf('{')));
  }

  /** Answers, which are valid and have no key that no schema describes. */
  private JsonNode robot(TestCluster cluster, String... words) throws IOException {
    JsonNode answer = run(cluster.runDirectory(), List.of(words));
    String schema = "robot-" + words[0];
    schemas.assertValid(schema, answer);
    assertEquals(Set.of(), schemas.undescribed(schema, answer), schema);
    return answer;
  }

  private static JsonNode run(Path runDirectory, List<String> words) throws IOException {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int exitCode =
        Robot.run(
            words,
            Map.of(RunDirectory.VARIABLE, runDirectory.toString()),
            Path.of("/"),
            Instant.now(),
            new PrintWriter(out),
            new PrintWriter(err));
    JsonNode answer = JSON.readTree(out.toString());
    assertEquals("", err.toString());
    assertEquals(exitCode, answer.path("_meta").path("exit_code").asInt());
    return answer;
  }
}
