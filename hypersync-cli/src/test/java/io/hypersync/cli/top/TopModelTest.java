package io.hypersync.cli.top;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the views of {@code top} say, by answers of daemons. */
final class TopModelTest {
  private final Answers host = new Answers();

  private JsonNode rows(View view) {
    return Sheets.of(view, host.model()).json().path("rows");
  }

  private JsonNode row(View view, String key, String value) {
    for (JsonNode row : rows(view)) {
      if (row.path(key).asText().equals(value)) {
        return row;
      }
    }
    throw new AssertionError("no " + key + " " + value + " in " + rows(view));
  }

  @Test
  void ratesAreOfTheTimeBetweenTwoAnswers() {
    host.second(100, 40);
    JsonNode leader = row(View.OVERVIEW, "daemon", "leader team");
    assertTrue(leader.path("changes_per_s").isNull(), "one answer is no rate: " + leader);
    host.second(350, 52);
    leader = row(View.OVERVIEW, "daemon", "leader team");
    assertEquals(250, leader.path("changes_per_s").asDouble());
    assertEquals(350, leader.path("index").asLong());
    assertEquals("ok", leader.path("state").asText());
    assertEquals(12, row(View.OVERVIEW, "daemon", "worker fmd").path("changes_per_s").asDouble());
    assertEquals(12, row(View.AGENTS, "agent", "BlueLake").path("calls_per_s").asDouble());
    assertEquals(0, row(View.AGENTS, "agent", "RedFox").path("calls_per_s").asDouble());
  }

  @Test
  void aDaemonThatWasStartedAgainHasNoRateUntilItHasAnsweredTwice() {
    host.second(100, 40);
    host.later(1);
    ObjectNode other = ((ObjectNode) Answers.leader(500)).put("pid", 9);
    host.answer(Answers.LEADER, Question.STATUS, other);
    assertTrue(
        row(View.OVERVIEW, "daemon", "leader team").path("changes_per_s").isNull(),
        () -> rows(View.OVERVIEW).toString());
  }

  /** They are asked for from the beginning then, and kept while it is the same run. */
  @Test
  void conflictsSurviveAnotherRunOfTheLeaderAndARefusal() {
    Cursor cursor = new Cursor();
    ObjectNode status = (ObjectNode) Answers.leader(100);
    ObjectNode hazards =
        (ObjectNode)
            Answers.json(
                "{\"commit_index\":100,\"entries\":[" + Answers.hazard(90, "A", "f") + "]}");
    host.second(100, 40);
    host.answer(Answers.LEADER, Question.HAZARDS, hazards);
    cursor.accept(Question.STATUS, status);
    cursor.accept(Question.HAZARDS, hazards);
    host.tell(Answers.LEADER, Question.STATUS, new Observation.Outcome.Refused("not now"));
    cursor.failed(Question.STATUS);
    host.second(100, 40);
    cursor.accept(Question.STATUS, status);
    assertEquals(1, rows(View.CONFLICTS).size(), "the same run");
    assertEquals(100, cursor.arguments(Question.HAZARDS).path("after").asLong());
    for (String key : List.of("pid", "leader_epoch")) {
      ObjectNode other = status.deepCopy().put(key, 9);
      host.answer(Answers.LEADER, Question.STATUS, other);
      cursor.accept(Question.STATUS, other);
      assertEquals(0, rows(View.CONFLICTS).size(), key);
      assertTrue(cursor.arguments(Question.HAZARDS).has("tail"), key + " begins anew");
      host.answer(Answers.LEADER, Question.HAZARDS, hazards);
      cursor.accept(Question.HAZARDS, hazards);
      assertEquals(1, rows(View.CONFLICTS).size(), key);
      status = other;
    }
  }

  @Test
  void agentsHaveTheirHazardsAndTheirEntriesOnAllHosts() {
    host.second(100, 40);
    host.answer(
        Answers.LEADER,
        Question.HAZARDS,
        Answers.json("{\"entries\":[" + Answers.hazard(90, "BlueLake", "src/a.go") + "]}"));
    host.answer(
        Answers.LEADER,
        Question.LOG,
        Answers.json(
            """
            {"entries":[{"log_index":1,"agent":"Elsewhere","worker_id":"yto"},
                        {"log_index":2,"agent":"Elsewhere","worker_id":"yto"},
                        {"log_index":3,"agent":"","worker_id":"yto"}]}
            """));
    assertEquals(1, row(View.AGENTS, "agent", "BlueLake").path("hazards").asLong());
    JsonNode elsewhere = row(View.AGENTS, "agent", "Elsewhere");
    assertEquals(2, elsewhere.path("changes").asLong());
    assertEquals("yto", elsewhere.path("worker").asText());
    assertTrue(elsewhere.path("calls").isNull());
  }

  @Test
  void aConflictSaysHowItIsUndone() {
    host.second(100, 40);
    host.answer(
        Answers.LEADER,
        Question.HAZARDS,
        Answers.json(
            "{\"entries\":["
                + Answers.hazard(90, "BlueLake", "src/a.go")
                + ","
                + Answers.hazard(95, "RedFox", "b")
                + "]}"));
    JsonNode newest = rows(View.CONFLICTS).path(0);
    assertEquals(95, newest.path("log_index").asLong(), "the newest first");
    JsonNode first = rows(View.CONFLICTS).path(1);
    assertEquals("BlueLake@fmd", first.path("agent").asText());
    assertEquals("RedFox@yto", first.path("with").asText());
    String details = first.path("details").toString();
    assertTrue(details.contains("./hypersync undo --agent BlueLake --since 90 "), details);
    assertTrue(details.contains("./hypersync who src/a.go"), details);
    assertTrue(details.contains("./hypersync diff 89 90"), details);
  }

  @Test
  void whatCameTwiceIsThereOnceAndTheOldestGoes() {
    host.second(100, 40);
    for (int round = 0; round < 3; round++) {
      List<String> entries = new ArrayList<>();
      for (int i = 1; i <= 600; i++) {
        entries.add(Answers.hazard(400L * round + i, "A", "p" + i));
      }
      host.answer(
          Answers.LEADER,
          Question.HAZARDS,
          Answers.json("{\"entries\":[" + String.join(",", entries) + "]}"));
    }
    assertEquals(1_000, rows(View.CONFLICTS).size());
    assertEquals(1_400, rows(View.CONFLICTS).path(0).path("log_index").asLong());
    assertEquals(401, rows(View.CONFLICTS).path(999).path("log_index").asLong());
  }

  @Test
  void tenThousandAgentsAreAThousandRowsTheBusiestFirst() {
    host.second(100, 40);
    host.later(1);
    host.answer(Answers.WORKER, Question.STATUS, many(0));
    host.later(1);
    host.answer(Answers.WORKER, Question.STATUS, many(1));
    Sheet sheet = Sheets.of(View.AGENTS, host.model());
    assertEquals(Sheet.MOST, sheet.rows().size());
    assertEquals(9_000, sheet.left());
    assertEquals("agent-9999", sheet.rows().getFirst().cells().getFirst().text());
    assertTrue(
        ScreenText.lines(host.model(), Shown.of(View.AGENTS, ""), "14:00:00", 80, 24).size() <= 24);
  }

  private static JsonNode many(int round) {
    ObjectNode status = (ObjectNode) Answers.worker(100, 40);
    ArrayNode seen = ((ObjectNode) status.path("agents")).putArray("seen");
    for (int i = 0; i < 10_000; i++) {
      seen.addObject().put("agent", "agent-" + i).put("calls", 10 + round * i);
    }
    return status;
  }

  @Test
  void whoDoesNotAnswerIsNamedAndTheOthersGoOn() {
    host.second(100, 40);
    long asked = host.nowNs();
    host.later(1);
    host.open(Answers.WORKER, asked);
    assertTrue(host.model().silent().isEmpty(), "a second is no trouble");
    host.later(11);
    host.open(Answers.WORKER, asked);
    assertEquals("silent 12s", row(View.OVERVIEW, "daemon", "worker fmd").path("state").asText());
    assertEquals("ok", row(View.OVERVIEW, "daemon", "leader team").path("state").asText());
    List<Line> lines =
        ScreenText.lines(host.model(), Shown.of(View.AGENTS, ""), "14:00:00", 80, 24);
    assertTrue(
        lines.stream()
            .anyMatch(
                line ->
                    line.style() == Line.Style.ALERT
                        && line.text().startsWith("! worker fmd has not answered for 12s")),
        lines::toString);
    assertEquals(12_000, Header.silentJson(host.model()).path(0).path("silent_ms").asLong());
    host.second(130, 41);
    host.present();
    assertTrue(host.model().silent().isEmpty(), "it answers again");
  }

  @Test
  void whoHasDiedIsDeadAndWhoseSocketIsGoneIsForgotten() {
    host.second(100, 40);
    host.tell(Answers.WORKER, Question.STATUS, new Observation.Outcome.Dead("nobody listens"));
    assertEquals("dead", row(View.OVERVIEW, "daemon", "worker fmd").path("state").asText());
    host.gone(Answers.WORKER);
    assertEquals(1, rows(View.OVERVIEW).size());
    assertTrue(host.model().isSomebodyHere());
    host.gone(Answers.LEADER);
    assertFalse(host.model().isSomebodyHere());
  }

  @Test
  void hostsAreThoseThatTheLeaderKnowsAlsoTheAbsent() {
    host.second(100, 40);
    assertEquals(3, rows(View.HOSTS).size());
    JsonNode here = row(View.HOSTS, "worker", "fmd");
    assertEquals(1.5, here.path("visible_ms").asDouble());
    assertEquals(2, here.path("agents").asLong());
    assertEquals("read-only", row(View.HOSTS, "worker", "yto").path("state").asText());
    assertEquals(40, row(View.HOSTS, "worker", "yto").path("lag_entries").asLong());
    assertEquals("left", row(View.HOSTS, "worker", "old").path("state").asText());
  }

  @Test
  void locksSayWhoWaitsForWhom() {
    host.second(100, 40);
    host.answer(
        Answers.LEADER,
        Question.LOCKS,
        Answers.json(
            """
            {"complete":true,"locks":[
              {"held":false,"worker_id":"yto","pid":12,"space":"fcntl","mode":"exclusive",
               "first":5,"last":9,"inode":77,
               "waits_for":[{"worker_id":"fmd","pid":11},{"worker_id":"fmd","pid":13}]},
              {"held":true,"worker_id":"fmd","pid":11,"space":"flock","mode":"shared",
               "first":0,"last":null,"inode":78,"waits_for":[]}]}
            """));
    JsonNode waits = rows(View.LOCKS).path(0);
    assertEquals("waits", waits.path("state").asText());
    assertEquals("12@yto", waits.path("owner").asText());
    assertEquals("11@fmd and 1 more", waits.path("waits_for").asText());
    assertEquals("5 to 9", waits.path("range").asText());
    assertEquals(77, waits.path("inode").asLong());
    assertEquals("all", rows(View.LOCKS).path(1).path("range").asText());
  }

  @Test
  void theFloorOfAStageIsTheLowestMedianThatWasSeen() {
    host.second(100, 40);
    for (int us : new int[] {900, 300, 700}) {
      host.answer(Answers.WORKER, Question.STAGES, stages(us));
    }
    JsonNode total = row(View.LATENCY, "stage", "total");
    assertEquals(700, total.path("p50_us").asDouble());
    assertEquals(300, total.path("floor_us").asDouble());
    assertTrue(
        Sheets.of(View.LATENCY, host.model()).notes().getFirst().contains("The limit is sync"));
  }

  private static JsonNode stages(int us) {
    String figures =
        "{\"count\":2,\"us_p50\":%d,\"us_p95\":%d,\"us_p99\":%d,\"us_max\":%d,\"share\":1}"
            .formatted(us, us, us, us);
    return Answers.json(
        """
        {"recent":{"total":%s},"since_start":{"total":%s},
         "limit":{"stage":"sync","sentence":"The limit is sync.","advice":"A faster disk."}}
        """
            .formatted(figures, figures));
  }

  @Test
  void aHotPathThatToolsCanMakeAgainShouldBeLocal() {
    host.second(100, 40);
    host.answer(Answers.WORKER, Question.HOT, Answers.hot("src/a.go"));
    JsonNode hot = rows(View.HOT).path(0);
    assertEquals("web/node_modules/x.js", hot.path("path").asText());
    assertEquals(40, hot.path("changes_per_s").asDouble());
    assertEquals(4_000, hot.path("bytes_per_s").asLong());
    assertEquals("local: web/node_modules", hot.path("hint").asText());
    assertTrue(rows(View.HOT).path(1).path("hint").isNull());
    assertTrue(
        Sheets.of(View.HOT, host.model()).notes().getFirst().startsWith("web/node_modules: 80%"));
  }

  @Test
  void storageNamesWhatPinsIt() {
    host.second(100, 40);
    JsonNode pin = row(View.STORAGE, "what", "pin: snapshot");
    assertEquals(2_048, pin.path("bytes").asLong());
    assertEquals("before", pin.path("name").asText());
    assertTrue(
        pin.path("details").toString().contains("./hypersync snapshot rm before"), pin::toString);
  }

  @Test
  void whatADaemonOfAnotherVersionDoesNotKnowIsSaid() {
    host.second(100, 40);
    host.tell(
        Answers.LEADER,
        Question.LOCKS,
        new Observation.Outcome.Refused("this daemon knows no command \"locks\""));
    assertTrue(Sheets.of(View.LOCKS, host.model()).notes().toString().contains("knows no command"));
    assertEquals("ok", row(View.OVERVIEW, "daemon", "leader team").path("state").asText());
  }

  @Test
  void namesWithEscapesAreNeverRaw() {
    host.second(100, 40);
    host.answer(
        Answers.LEADER,
        Question.HAZARDS,
        Answers.json(
            "{\"entries\":[" + Answers.hazard(9, "Bl\\u001b[2Jue", "a\\u009b31m\\nb") + "]}"));
    for (View view : View.values()) {
      for (int row = 0; row < 3; row++) {
        Shown shown = Shown.of(view, "").press(Keys.DOWN, 1, 3, List.of());
        Shown opened = shown.press(Keys.ENTER, 1, 3, List.of());
        for (Shown each : List.of(shown, opened)) {
          for (Line line : ScreenText.lines(host.model(), each, "14:00:00", 200, 60)) {
            assertTrue(line.text().chars().noneMatch(c -> c < ' ' || c == 0x9b), line.text());
          }
        }
      }
      assertFalse(
          Sheets.of(view, host.model()).json().toString().contains("\\u001b"), view::toString);
    }
    String details = rows(View.CONFLICTS).path(0).path("details").toString();
    assertTrue(details.contains("--agent '<its name>'"), details);
  }

  @Test
  void everyFigureHasAHelpThatSaysWhenToWorry() {
    host.second(100, 40);
    for (View view : View.values()) {
      for (Column column : Sheets.of(view, host.model()).columns()) {
        for (String text : List.of(column.what(), column.why(), column.worry())) {
          assertTrue(text.endsWith("."), view + " " + column.key() + ": " + text);
        }
      }
    }
  }
}
