package io.hypersync.cli.top;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The screens of docs/top.md are those that the renderer makes of the answers of {@link Answers}. A
 * failure prints the screen that is to be there.
 */
final class TopPageTest {
  private static final Path PAGE = Path.of("..", "docs", "top.md");
  private static final int WIDTH = 80;
  private static final int HEIGHT = 12;

  private static Answers host() {
    Answers host = new Answers();
    host.second(48_100, 40);
    host.second(48_350, 52);
    host.model()
        .examined(
            Answers.json(
                """
                [{"code":"HS301","severity":"warning","detail":"93% of the disk of leader team",
                  "why":"When the disk is full, calls that write end with ENOSPC.",
                  "remedy":"hypersync gc says what takes the space.","fix":null}]
                """));
    host.answer(
        Answers.LEADER,
        Question.HAZARDS,
        Answers.json(
            "{\"entries\":[" + Answers.hazard(48_213, "BlueLake", "src/parser.go") + "]}"));
    host.answer(
        Answers.LEADER,
        Question.LOCKS,
        Answers.json(
            """
            {"complete":true,"locks":[
              {"held":false,"worker_id":"yto","pid":812,"space":"fcntl","mode":"exclusive",
               "first":0,"last":null,"inode":5012,"waits_for":[{"worker_id":"fmd","pid":77}]},
              {"held":true,"worker_id":"fmd","pid":77,"space":"fcntl","mode":"exclusive",
               "first":0,"last":null,"inode":5012,"waits_for":[]}]}
            """));
    host.answer(
        Answers.LEADER,
        Question.LOG,
        Answers.json(
            """
            {"entries":[
              {"log_index":48349,"committed_at":"2026-11-28T14:03:21.900000000Z","agent":"RedFox",
               "worker_id":"yto","op":"CreateFile","detail":"a.go in 12","hazards":[]},
              {"log_index":48350,"committed_at":"2026-11-28T14:03:22.100000000Z",
               "agent":"BlueLake","worker_id":"fmd","op":"Write","detail":"12 bytes","hazards":[]}]}
            """));
    host.answer(Answers.WORKER, Question.STAGES, stages());
    host.answer(Answers.WORKER, Question.HOT, Answers.hot("src/parser.go"));
    return host;
  }

  private static JsonNode stages() {
    return Answers.json(
        """
        {"recent":{"fuse":%s,"sync":%s,"total":%s},"since_start":{"fuse":%s,"sync":%s,"total":%s},
         "limit":{"stage":"sync","sentence":"The limit is sync: the leader's disk.","advice":""}}
        """
            .formatted(
                stage(40, 0.05),
                stage(800, 0.9),
                stage(1_200, 1),
                stage(30, 0.05),
                stage(520, 0.9),
                stage(900, 1)));
  }

  private static String stage(int us, double share) {
    return "{\"count\":9,\"us_p50\":%d,\"us_p95\":%d,\"us_p99\":%d,\"us_max\":%d,\"share\":%s}"
        .formatted(us, us * 2, us * 4, us * 8, share);
  }

  private static String screen(View view) {
    return ScreenText.lines(host().model(), Shown.of(view, ""), "14:03:22", WIDTH, HEIGHT).stream()
        .map(Line::text)
        .filter(line -> !line.isEmpty())
        .collect(Collectors.joining("\n"));
  }

  @ParameterizedTest
  @EnumSource(View.class)
  void theScreenOfEachViewIsOnThePage(View view) throws IOException {
    String screen = screen(view);
    assertTrue(
        Files.readString(PAGE).contains("```text\n" + screen + "\n```\n"),
        () -> "docs/top.md lacks this screen:\n```text\n" + screen + "\n```\n");
  }
}
