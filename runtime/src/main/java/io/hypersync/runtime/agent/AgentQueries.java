package io.hypersync.runtime.agent;

import io.hypersync.runtime.admin.UserError;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Reads an agent's state from other threads, by a function that runs on the agent's thread.
 *
 * @param <A> the agent
 */
public final class AgentQueries<A> {
  private final String daemon;
  private final Consumer<Consumer<A>> post;
  private final CompletableFuture<Void> ended;
  private final Duration limit;

  /**
   * Makes the access to one agent.
   *
   * @param daemon how error messages name the daemon, such as "the worker"
   * @param post runs a function on the agent's thread
   * @param ended completes when the agent no longer runs anything
   * @param limit the longest that {@link #ask} waits
   */
  public AgentQueries(
      String daemon, Consumer<Consumer<A>> post, CompletableFuture<Void> ended, Duration limit) {
    this.daemon = daemon;
    this.post = post;
    this.ended = ended;
    this.limit = limit;
  }

  /**
   * Runs a function on the agent's thread and returns its result; blocks up to the limit. For
   * requests of users, who expect a prompt response.
   *
   * @throws UserError if there is no result within the limit
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
   * Like {@link #ask}, but without a time limit. For the daemon's own needs: an agent that is
   * applying a long log on a busy machine responds late, which is no reason to give up.
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
