package io.hypersync.cli.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.fixtures.ManualClock;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class RecentFiguresTest {
  private final ManualClock clock = new ManualClock(1_000);
  private final Deque<String> answers = new ArrayDeque<>();
  private final AtomicInteger asked = new AtomicInteger();
  private final ExecutorService threads = Executors.newCachedThreadPool();

  @AfterEach
  void end() {
    threads.shutdownNow();
  }

  private RecentFigures<String> scripted() {
    return new RecentFigures<>(
        () -> {
          asked.incrementAndGet();
          String answer = answers.remove();
          if (answer.equals("busy")) {
            throw new IllegalStateException(answer);
          }
          return answer;
        },
        Runnable::run,
        clock,
        "none");
  }

  private static RecentFigures.Aged<String> aged(String value, long ms) {
    return new RecentFigures.Aged<>(value, ms < 0 ? -1 : TimeUnit.MILLISECONDS.toNanos(ms));
  }

  private void passes(long ms) {
    clock.advance(TimeUnit.MILLISECONDS.toNanos(ms));
  }

  @Test
  void figuresYoungerThanHalfASecondAreGivenAgain() {
    RecentFigures<String> figures = scripted();
    answers.add("first");
    answers.add("second");
    assertEquals(aged("first", 0), figures.get());
    passes(499);
    assertEquals(aged("first", 499), figures.get());
    passes(1);
    assertEquals(aged("second", 0), figures.get());
    assertEquals(2, asked.get());
  }

  @Test
  void aDaemonThatDoesNotAnswerLeavesTheLastFiguresWithTheirAge() {
    RecentFigures<String> figures = scripted();
    answers.add("busy");
    assertEquals(aged("none", -1), figures.get());
    answers.add("first");
    assertEquals(aged("first", 0), figures.get(), "asked again at once");
    passes(10_000);
    answers.add("busy");
    assertEquals(aged("first", 10_000), figures.get());
  }

  @Test
  void manyWhoAskShareOneQuestionAndWaitNoLongerThanASecond() throws Exception {
    CountDownLatch busy = new CountDownLatch(1);
    RecentFigures<String> figures =
        new RecentFigures<>(
            () -> {
              asked.incrementAndGet();
              try {
                busy.await();
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
              return "late";
            },
            threads,
            clock,
            "none");
    long beganNs = System.nanoTime();
    Future<?> other = threads.submit(figures::get);
    assertEquals(aged("none", -1), figures.get());
    other.get();
    long tookMs = (System.nanoTime() - beganNs) / 1_000_000;
    assertTrue(tookMs < 5_000, () -> "waited " + tookMs + " ms");
    assertEquals(1, asked.get());
    busy.countDown();
    while (!figures.get().value().equals("late")) {
      Thread.onSpinWait();
    }
    assertEquals(1, asked.get(), "the answer to the first question");
  }
}
