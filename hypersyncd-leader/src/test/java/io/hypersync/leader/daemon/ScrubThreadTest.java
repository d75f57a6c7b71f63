package io.hypersync.leader.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.chunkstore.InMemoryChunkStore;
import io.hypersync.leader.LeaderAgent;
import io.hypersync.leader.leadership.LeaderGate;
import io.hypersync.leader.scrub.ScrubPolicy;
import io.hypersync.leader.scrub.ScrubSchedule;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.runtime.background.BackgroundTurns;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** A scrub never keeps a leader from stopping, and never ends unsaid. */
class ScrubThreadTest {
  private static final long LIMIT_S = 30;

  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private final CountDownLatch asked = new CountDownLatch(1);

  private ScrubThread thread(Consumer<Consumer<LeaderAgent>> ask) {
    return new ScrubThread(
        new ScrubPolicy(0, 1),
        BackgroundTurns.ALONE,
        LeaderGate.ALONE,
        new InMemoryChunkStore(),
        new WorkspaceId(1, 2),
        Clock.SYSTEM,
        ask,
        _ -> {},
        ended);
  }

  /** Its thread may have stopped with the question in its queue. */
  @Test
  void anAgentThatDoesNotAnswerIsNotWaitedForWhenTheLeaderStops() throws InterruptedException {
    ScrubThread thread = thread(_ -> asked.countDown());
    thread.start();
    assertEquals(1, thread.ask());
    assertTrue(asked.await(LIMIT_S, TimeUnit.SECONDS));
    long beganNs = System.nanoTime();
    thread.close();
    long tookNs = System.nanoTime() - beganNs;
    assertTrue(tookNs < Duration.ofSeconds(5).toNanos(), tookNs + " ns");
    assertEquals("the leader has ended", thread.look(ScrubSchedule::lastFailure));
    assertThrows(UserError.class, thread::ask);
  }

  @Test
  void norWhenItHasFailed() throws InterruptedException {
    try (ScrubThread thread = thread(_ -> asked.countDown())) {
      assertEquals(1, thread.ask());
      assertTrue(asked.await(LIMIT_S, TimeUnit.SECONDS));
      ended.completeExceptionally(new IllegalStateException("for a test"));
      awaitEnded(thread);
    }
  }

  @Test
  void anAgentThatTakesNoQuestionsEndsTheRun() throws InterruptedException {
    try (ScrubThread thread =
        thread(
            _ -> {
              throw new RejectedExecutionException("event executor terminated");
            })) {
      assertEquals(1, thread.ask());
      awaitEnded(thread);
      assertEquals("the leader stops", thread.look(ScrubSchedule::lastFailure));
    }
  }

  @Test
  void aFaultEndsTheRunAndNotTheThread() throws InterruptedException {
    try (ScrubThread thread =
        thread(
            _ -> {
              throw new IllegalStateException("for a test");
            })) {
      assertEquals(1, thread.ask());
      awaitEnded(thread);
      assertEquals(2, thread.ask());
    }
  }

  private static void awaitEnded(ScrubThread thread) throws InterruptedException {
    long untilNs = System.nanoTime() + Duration.ofSeconds(LIMIT_S).toNanos();
    while (thread.look(ScrubSchedule::endedSoFar) == 0) {
      assertTrue(System.nanoTime() < untilNs, "the run does not end");
      TimeUnit.MILLISECONDS.sleep(5);
    }
  }
}
