package io.hypersync.runtime.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An agent that throws: wherever it was called from, it stops, and its daemon hears of it once. */
@Timeout(20)
class AgentLoopTest {
  private static final int LIMIT_S = 10;

  private final IllegalStateException fault = new IllegalStateException("wrong");
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
  private final Counting agent = new Counting();
  private final AgentLoop<Counting> loop =
      new AgentLoop<>(agent, thread, ended, why -> new IllegalArgumentException("explained", why));

  /** Counts its turns; throws in the turn in which it is told to. */
  private final class Counting implements Agent {
    private int turns;
    private boolean fails;

    @Override
    public int doWork() {
      turns++;
      if (fails) {
        throw fault;
      }
      return 0;
    }
  }

  @AfterEach
  void stop() {
    thread.close();
  }

  @Test
  void aTurnThatThrowsIsTheLast() throws Exception {
    agent.fails = true;
    loop.wake();
    assertStopped();
    assertEquals(1, agent.turns);
  }

  @Test
  void aPostedCallThatThrowsIsTheLast() throws Exception {
    loop.post(_ -> fail());
    assertStopped();
    assertEquals(0, agent.turns);
  }

  @Test
  void aCallOfTheTransportThatThrowsIsTheLastAndTheTransportHearsOfIt() throws Exception {
    assertSame(fault, assertThrows(fault.getClass(), () -> loop.guarded(_ -> fail())));
    assertStopped();
  }

  @Test
  void aFlushPointThatThrowsIsTheLastAndTheTransportHearsOfIt() throws Exception {
    agent.fails = true;
    assertSame(fault, assertThrows(fault.getClass(), loop::flushPoint));
    assertStopped();
    assertEquals(1, agent.turns);
  }

  private void fail() {
    throw fault;
  }

  private void assertStopped() throws Exception {
    ExecutionException failed =
        assertThrows(ExecutionException.class, () -> ended.get(LIMIT_S, TimeUnit.SECONDS));
    assertEquals("explained", failed.getCause().getMessage());
    assertSame(fault, failed.getCause().getCause());
    int turns = agent.turns;
    boolean[] called = {false};
    loop.post(_ -> called[0] = true);
    loop.guarded(_ -> called[0] = true);
    loop.flushPoint();
    thread.submit(() -> {}).get(LIMIT_S, TimeUnit.SECONDS);
    assertFalse(called[0], "it is not called any more");
    assertEquals(turns, agent.turns);
  }
}
