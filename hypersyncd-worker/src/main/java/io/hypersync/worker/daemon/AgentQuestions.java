package io.hypersync.worker.daemon;

import io.hypersync.wire.admin.UserError;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Asks an agent, on the agent's own thread, from others.
 *
 * @param <A> the agent
 */
final class AgentQuestions<A> {
  private final Consumer<Consumer<A>> post;
  private final CompletableFuture<Void> ended;
  private final Duration limit;

  /**
   * Questions to one agent.
   *
   * @param post has the agent called on its thread
   * @param ended done when the agent will answer nobody any more
   * @param limit how long people wait for an answer
   */
  AgentQuestions(Consumer<Consumer<A>> post, CompletableFuture<Void> ended, Duration limit) {
    this.post = post;
    this.ended = ended;
    this.limit = limit;
  }

  /**
   * For people, who want an answer soon.
   *
   * @throws UserError if there is none within the limit
   */
  <T> T ask(Function<A, T> question) {
    try {
      return posted(question).get(limit.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UserError("interrupted", "");
    } catch (ExecutionException | TimeoutException e) {
      throw new UserError("the worker is too busy to answer", "Look at its log.");
    }
  }

  /**
   * For what the worker itself needs to know: an agent that applies a long log on a busy machine
   * answers late, and that is no reason to give up.
   *
   * @throws UserError if the agent has ended
   */
  <T> T await(Function<A, T> question) throws InterruptedException {
    CompletableFuture<T> answer = posted(question);
    try {
      var _ = CompletableFuture.anyOf(answer, ended).get();
      if (answer.isDone()) {
        return answer.get();
      }
    } catch (ExecutionException failed) {
      throw new UserError("the worker has failed: " + failed.getCause(), "Look at its log.");
    }
    throw new UserError("the worker has ended", "Look at its log.");
  }

  private <T> CompletableFuture<T> posted(Function<A, T> question) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    post.accept(agent -> answer.complete(question.apply(agent)));
    return answer;
  }
}
