package io.hypersync.leader.daemon;

import io.hypersync.runtime.admin.UserError;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Requests that take minutes and much memory: one at a time, each on a platform thread, because the
 * chunk store blocks in native code.
 */
final class SlowRequests implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SlowRequests.class);
  private static final long LIMIT_MINUTES = 30;
  private static final long STOP_LIMIT_SECONDS = 30;

  /** Pages are read by recursion, and names can be chosen so that there are many above another. */
  private static final long STACK_BYTES = 64L << 20;

  private final String thread;
  private final String busy;
  private final CompletableFuture<Void> ended;
  private final Semaphore free = new Semaphore(1);
  private volatile boolean stopping;

  /**
   * One kind of requests.
   *
   * @param thread the name of their thread
   * @param busy what is said while another one is under way
   * @param ended completes when the leader answers nothing any more
   */
  SlowRequests(String thread, String busy, CompletableFuture<Void> ended) {
    this.thread = thread;
    this.busy = busy;
    this.ended = ended;
  }

  /**
   * Does the work and waits for it.
   *
   * @throws UserError if the work throws it, another one is under way, or the leader ends
   */
  <T> T run(Supplier<T> work) {
    return run(work, 0);
  }

  /**
   * The same, but waits for the one that is under way.
   *
   * @param waitSeconds how long at most
   */
  <T> T run(Supplier<T> work, long waitSeconds) {
    requireRunning();
    if (!isTaken(waitSeconds)) {
      throw new UserError(busy, "Try again when that is done.");
    }
    CompletableFuture<T> answer = new CompletableFuture<>();
    Thread worker =
        Thread.ofPlatform()
            .name(thread)
            .daemon()
            .stackSize(STACK_BYTES)
            .unstarted(() -> answer(work, answer));
    try {
      worker.start();
    } catch (OutOfMemoryError e) {
      free.release();
      throw new UserError("there is no memory for a thread: " + e.getMessage(), "Try again.");
    }
    return awaited(answer, ended);
  }

  private boolean isTaken(long waitSeconds) {
    try {
      return free.tryAcquire(waitSeconds, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UserError("interrupted", "");
    }
  }

  private <T> void answer(Supplier<T> work, CompletableFuture<T> answer) {
    @Nullable T result = null;
    @Nullable Throwable failure = null;
    try {
      result = work.get();
    } catch (UserError e) {
      failure = e;
    } catch (RuntimeException | Error e) {
      LOG.error("a request has failed", e);
      failure = new UserError("the request has failed: " + e, "The leader's log says more.");
    }
    free.release(); // first, so that who has the answer may ask again
    if (failure == null) {
      answer.complete(result);
    } else {
      answer.completeExceptionally(failure);
    }
  }

  /** To be called by work now and then: throws if the leader stops. */
  void requireRunning() {
    if (stopping) {
      throw new UserError("the leader stops", "");
    }
  }

  /**
   * Waits until the request under way, if there is one, has seen that the leader stops; not for
   * ever, because that must not keep it from stopping.
   */
  @Override
  public void close() {
    stopping = true;
    try {
      if (!free.tryAcquire(STOP_LIMIT_SECONDS, TimeUnit.SECONDS)) {
        LOG.warn("a request is still under way");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits for an answer, or for the leader's end. */
  static <T> T awaited(CompletableFuture<T> answer, CompletableFuture<Void> ended) {
    try {
      var _ = CompletableFuture.anyOf(answer, ended).get(LIMIT_MINUTES, TimeUnit.MINUTES);
      if (answer.isDone()) {
        return answer.get();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UserError("interrupted", "");
    } catch (ExecutionException | TimeoutException e) {
      if (e.getCause() instanceof UserError known) {
        throw known;
      }
    }
    throw new UserError("the leader has not answered", "Look at its log.");
  }
}
