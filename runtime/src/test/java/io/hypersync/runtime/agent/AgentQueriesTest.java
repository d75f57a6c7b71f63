package io.hypersync.runtime.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hypersync.runtime.admin.UserError;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Questions to an agent that is busy for longer than {@code ask} waits. */
@Timeout(20)
class AgentQueriesTest {
  private static final Duration LIMIT = Duration.ofMillis(50);
  private static final int BUSY_MS = 400;

  private final ExecutorService thread = Executors.newSingleThreadExecutor();
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private final AgentQueries<String> questions =
      new AgentQueries<>("the worker", this::post, ended, LIMIT);

  @AfterEach
  void stop() {
    thread.close();
  }

  @Test
  void peopleAreToldThatItIsBusy() {
    assertEquals(5, questions.ask(String::length));
    beBusy();
    assertThrows(UserError.class, () -> questions.ask(String::length));
  }

  @Test
  void theDaemonItselfWaits() throws Exception {
    beBusy();
    assertEquals(5, questions.await(String::length));
  }

  @Test
  void nobodyWaitsForAnAgentThatHasEnded() {
    beBusy();
    ended.completeExceptionally(new IllegalStateException("failed"));
    assertThrows(UserError.class, () -> questions.await(String::length));
  }

  private void beBusy() {
    thread.execute(
        () -> {
          try {
            Thread.sleep(BUSY_MS);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
  }

  private void post(Consumer<String> call) {
    thread.execute(() -> call.accept("agent"));
  }
}
