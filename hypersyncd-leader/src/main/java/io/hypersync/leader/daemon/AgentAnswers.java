package io.hypersync.leader.daemon;

import io.hypersync.leader.LeaderAgent;
import io.hypersync.runtime.admin.UserError;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** Asks the agent for what takes it some turns, and what it may not answer if it stops. */
final class AgentAnswers {
  /** How often it is looked whether the leader stops. */
  private static final long POLL_MS = 100;

  private final Consumer<Consumer<LeaderAgent>> post;
  private final SlowRequests requests;
  private final CompletableFuture<Void> ended;

  /** What is asked of the agent, on its thread. */
  @FunctionalInterface
  interface Question<T> {
    /** A call of the agent that has the answer completed, now or later. */
    Consumer<LeaderAgent> to(CompletableFuture<T> answer);
  }

  /**
   * Answers of one agent.
   *
   * @param post runs a call of the agent on its thread, and has it do its work
   * @param ended completes when the leader answers nothing any more
   */
  AgentAnswers(
      Consumer<Consumer<LeaderAgent>> post, SlowRequests requests, CompletableFuture<Void> ended) {
    this.post = post;
    this.requests = requests;
    this.ended = ended;
  }

  /**
   * Asks, and waits as long as the leader leads: what was asked for may be done, so it is not given
   * up.
   *
   * @throws UserError if the leader stops
   */
  <T> T ask(Question<T> question) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    post.accept(question.to(answer));
    while (true) {
      try {
        return answer.get(POLL_MS, TimeUnit.MILLISECONDS);
      } catch (TimeoutException e) {
        requests.requireRunning();
        if (ended.isDone()) {
          throw new UserError("the leader has ended", "Look at its log.");
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new UserError("interrupted", "");
      } catch (ExecutionException e) {
        throw new IllegalStateException("the agent only completes it", e);
      }
    }
  }
}
