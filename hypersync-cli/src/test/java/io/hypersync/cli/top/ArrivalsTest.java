package io.hypersync.cli.top;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.runtime.admin.AdminServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What waits while the terminal takes nothing. */
final class ArrivalsTest {
  private final Arrivals arrivals = new Arrivals();

  @TempDir Path run;

  private static Arrivals.Event seen(String socket, Question question, int number) {
    return new Arrivals.Event.Seen(
        new Observation(
            socket,
            "leader",
            question,
            new Observation.Outcome.Answer(JsonNodeFactory.instance.numberNode(number)),
            number));
  }

  private static Arrivals.Event typed(String text) {
    return new Arrivals.Event.FromTerminal(new TopScreen.Input.Typed(text));
  }

  @Test
  void ofEachQuestionToADaemonTheNewestAnswerWaits() throws InterruptedException {
    for (int i = 0; i < 10_000; i++) {
      arrivals.add(seen("a", Question.STATUS, i));
      arrivals.add(seen("b", Question.STATUS, i));
      arrivals.add(seen("a", Question.LOG, i));
      arrivals.add(new Arrivals.Event.NotExamined("" + i));
    }
    assertEquals(4, arrivals.count());
    assertTrue(arrivals.has("a", Question.LOG));
    assertFalse(arrivals.has("b", Question.LOG));
    assertEquals(seen("a", Question.STATUS, 9_999), arrivals.poll(0));
    assertEquals(seen("b", Question.STATUS, 9_999), arrivals.poll(0));
    assertEquals(seen("a", Question.LOG, 9_999), arrivals.poll(0));
    assertFalse(arrivals.has("a", Question.LOG), "it was looked at");
    assertEquals(new Arrivals.Event.NotExamined("9999"), arrivals.poll(0));
    assertNull(arrivals.poll(1));
  }

  @Test
  void whatIsTypedIsKeptInOrder() throws InterruptedException {
    for (String key : List.of("/", "a", "b")) {
      arrivals.add(typed(key));
      arrivals.add(new Arrivals.Event.FromTerminal(new TopScreen.Input.Changed()));
    }
    assertEquals(typed("/ab"), arrivals.poll(0));
    for (int i = 0; i < 20_000; i++) {
      arrivals.add(typed("j"));
    }
    assertEquals(2, arrivals.count());
    arrivals.poll(0);
    assertEquals(typed("j".repeat(10_000)), arrivals.poll(0));
  }

  /** Hazards come once only: what was not looked at is not asked over. */
  @Test
  void aDaemonIsNotAskedAgainBeforeItsAnswerWasLookedAt() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    Path socket = run.resolve("leader-00112233.sock");
    try (AdminServer _ =
            AdminServer.start(
                socket,
                Map.of(
                    "status",
                    _ -> {
                      asked.incrementAndGet();
                      return JsonNodeFactory.instance.objectNode().put("role", "leader");
                    },
                    "hazards",
                    _ -> {
                      asked.incrementAndGet();
                      return hazards();
                    }));
        Watch watch =
            new Watch(
                () -> List.of(socket),
                EnumSet.of(Question.STATUS, Question.HAZARDS),
                Duration.ofMillis(1),
                seen -> arrivals.add(new Arrivals.Event.Seen(seen)),
                arrivals::has)) {
      watch.look(new TopModel("here"), System.nanoTime());
      while (arrivals.count() < 2) {
        Thread.sleep(1);
      }
      Thread.sleep(100);
      assertEquals(2, asked.get());
      arrivals.poll(0);
      while (asked.get() < 3) {
        Thread.sleep(1);
      }
    }
  }

  private static ObjectNode hazards() {
    return JsonNodeFactory.instance.objectNode().put("commit_index", 7);
  }
}
