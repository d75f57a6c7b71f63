package io.hypersync.leader.daemon;

import io.hypersync.runtime.admin.UserError;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * Requests that take minutes and much memory: one at a time, each on a platform thread, because the
 * chunk store blocks in native code.
 */
final class SlowRequests implements AutoCloseable {
  private static final long LIMIT_MINUTES = 30;

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
   * @param thread its name
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
    requireRunning();
    if (!free.tryAcquire()) {
      throw new UserError(busy, "Try again when that is done.");
    }
    CompletableFuture<T> answer = new CompletableFuture<>();
    Thread _ =
        Thread.ofPlatform()
            .name(thread)
            .daemon()
            .stackSize(STACK_BYTES)
            .start(
                () -> {
                  try {
                    answer.complete(work.get());
                  } catch (RuntimeException | Error e) {
                    answer.completeExceptionally(e);
                  } finally {
                    free.release();
                  }
                });
    return awaited(answer, ended);
  }

  /** To be called by work now and then: throws if the leader stops. */
  void requireRunning() {
    if (stopping) {
      throw new UserError("the leader stops", "");
    }
  }

  /** Waits until the request under way, if there is one, has seen that the leader stops. */
  @Override
  public void close() {
    stopping = true;
    free.acquireUninterruptibly();
    free.release();
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
