package io.hypersync.leader.daemon;

import io.hypersync.leader.LeaderAgent;
import io.hypersync.leader.snapshot.SnapshotHold;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.agent.AgentQueries;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.snapshot.schedule.SnapshotManager;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * How a thread that reads snapshots for hours deals with the agent: it has one taken, and held.
 * Every wait ends at once when the leader stops, with a {@link UserError}.
 */
final class SnapshotAccess {
  private final AgentQueries<LeaderAgent> agent;
  private final Consumer<Consumer<LeaderAgent>> post;

  /** Completes when nothing is to be waited for any more. */
  private final CompletableFuture<Void> stopped = new CompletableFuture<>();

  /**
   * Access to one agent.
   *
   * @param ask runs a question on the agent's thread; throws RejectedExecutionException if that has
   *     ended
   * @param post runs a call of the agent on its thread, or drops it if that has ended
   * @param ended completes when the agent answers nothing any more
   */
  SnapshotAccess(
      Consumer<Consumer<LeaderAgent>> ask,
      Consumer<Consumer<LeaderAgent>> post,
      CompletableFuture<Void> ended) {
    this.post = post;
    this.agent = new AgentQueries<>("the leader", ask, stopped, Duration.ofDays(1));
    var _ = ended.whenComplete((_, _) -> stopped.complete(null));
  }

  /** Nothing is waited for from now on. */
  void stop() {
    stopped.complete(null);
  }

  boolean isStopped() {
    return stopped.isDone();
  }

  void requireRunning() {
    if (stopped.isDone()) {
      throw stops();
    }
  }

  static UserError stops() {
    return new UserError("the leader stops", "");
  }

  /** Asks the agent, however long it takes to answer. */
  <T> T await(Function<LeaderAgent, T> question) {
    try {
      return agent.await(question);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw stops();
    }
  }

  /** Waits, but not if the leader stops. */
  void pause(Duration time) {
    try {
      var _ = stopped.get(time.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      return;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException e) {
      throw new IllegalStateException("it is only completed", e);
    }
    throw stops();
  }

  /** All snapshots, the oldest first. */
  List<Snapshot> all() {
    return await(leader -> List.copyOf(leader.snapshots().all()));
  }

  /**
   * Takes a snapshot, unless the newest one is that of the newest state. So what only the log has
   * is stored first.
   *
   * @throws UserError if none could be taken
   */
  Snapshot takeNewest() {
    CompletableFuture<SnapshotManager.Answer> answer = new CompletableFuture<>();
    var _ =
        await(
            leader -> {
              leader.snapshots().take("", answer::complete);
              return true;
            });
    return switch (awaited(answer)) {
      case SnapshotManager.Answer.Done(Snapshot taken) -> taken;
      case SnapshotManager.Answer.Failed(String why) ->
          throw new UserError("no snapshot of the newest state could be taken: " + why, "");
    };
  }

  /**
   * Holds the chunks and pages of a snapshot, until {@link #release}.
   *
   * @return null if there is no such snapshot
   */
  @Nullable SnapshotHold hold(long index) {
    SnapshotHold hold = new SnapshotHold(index);
    boolean isHeld = false;
    try {
      isHeld =
          await(
              leader -> {
                boolean begun = hold.begin(leader.snapshots());
                hold.releaseLog(leader.snapshots());
                return begun;
              });
    } finally {
      if (!isHeld) { // the agent may still come to it
        release(hold);
      }
    }
    return isHeld ? hold : null;
  }

  void release(SnapshotHold hold) {
    post.accept(leader -> hold.end(leader.snapshots()));
  }

  private <T> T awaited(CompletableFuture<T> answer) {
    try {
      var _ = CompletableFuture.anyOf(answer, stopped).get();
      if (answer.isDone()) {
        return answer.get();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException e) {
      throw new IllegalStateException("both are only completed", e);
    }
    throw stops();
  }
}
