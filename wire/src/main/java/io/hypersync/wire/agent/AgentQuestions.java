package io.hypersync.wire.agent;

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
public final class AgentQuestions<A> {
  private final String daemon;
  private final Consumer<Consumer<A>> post;
  private final CompletableFuture<Void> ended;
  private final Duration limit;

  /**
   * Questions to one agent.
   *
   * @param daemon whose agent that is, as people are told: "the worker"
   * @param post has the agent called on its thread
   * @param ended done when the agent will answer nobody any more
   * @param limit how long people wait for an answer
   */
  public AgentQuestions(
      String daemon, Consumer<Consumer<A>> post, CompletableFuture<Void> ended, Duration limit) {
    this.daemon = daemon;
    this.post = post;
    this.ended = ended;
    this.limit = limit;
  }

  /**
   * For people, who want an answer soon.
   *
   * @throws UserError if there is none within the limit
   */
  public <T> T ask(Function<A, T> question) {
    try {
      return posted(question).get(limit.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UserError("interrupted", "");
    } catch (ExecutionException | TimeoutException e) {
      throw new UserError(daemon + " is too busy to answer", "Look at its log.");
    }
  }

  /**
   * For what the daemon itself needs to know: an agent that applies a long log on a busy machine
   * answers late, and that is no reason to give up.
   *
   * @throws UserError if the agent has ended
   */
  public <T> T await(Function<A, T> question) throws InterruptedException {
    CompletableFuture<T> answer = posted(question);
    try {
      var _ = CompletableFuture.anyOf(answer, ended).get();
      if (answer.isDone()) {
        return answer.get();
      }
    } catch (ExecutionException failed) {
      throw new UserError(daemon + " has failed: " + failed.getCause(), "Look at its log.");
    }
    throw new UserError(daemon + " has ended", "Look at its log.");
  }

  private <T> CompletableFuture<T> posted(Function<A, T> question) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    post.accept(agent -> answer.complete(question.apply(agent)));
    return answer;
  }
}
