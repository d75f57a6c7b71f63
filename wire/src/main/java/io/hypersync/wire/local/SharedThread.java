package io.hypersync.wire.local;

import io.hypersync.runtime.agent.CallerRuns;
import io.hypersync.runtime.agent.CallerRunsExecutor;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * A thread that somebody else owns, for one of its users: it can end for this user alone. Once it
 * has, none of this user's tasks runs any more, nor is one running.
 */
final class SharedThread extends AbstractExecutorService
    implements ScheduledExecutorService, CallerRuns {
  private final CallerRunsExecutor thread;
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile boolean isShutdown;

  SharedThread(CallerRunsExecutor thread) {
    this.thread = thread;
  }

  private Runnable whileOpen(Runnable task) {
    requireOpen();
    return () -> {
      if (!isTerminated()) {
        task.run();
      } else {
        // A task that is repeated ends by this: its future belongs to the other owner.
        throw new RejectedExecutionException("ended");
      }
    };
  }

  private void requireOpen() {
    if (isShutdown) {
      throw new RejectedExecutionException("ended");
    }
  }

  @Override
  public void execute(Runnable task) {
    requireOpen();
    thread.execute(() -> runUnlessEnded(task));
  }

  @Override
  public void runOrExecute(Runnable task) {
    requireOpen();
    thread.runOrExecute(() -> runUnlessEnded(task));
  }

  private void runUnlessEnded(Runnable task) {
    if (!isTerminated()) {
      task.run();
    }
  }

  @Override
  public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
    return thread.schedule(whileOpen(task), delay, unit);
  }

  @Override
  public <V> ScheduledFuture<V> schedule(Callable<V> task, long delay, TimeUnit unit) {
    requireOpen();
    return thread.schedule(
        () -> {
          requireOpen();
          return task.call();
        },
        delay,
        unit);
  }

  @Override
  public ScheduledFuture<?> scheduleAtFixedRate(
      Runnable task, long delay, long period, TimeUnit unit) {
    return thread.scheduleAtFixedRate(whileOpen(task), delay, period, unit);
  }

  @Override
  public ScheduledFuture<?> scheduleWithFixedDelay(
      Runnable task, long delay, long pause, TimeUnit unit) {
    return thread.scheduleWithFixedDelay(whileOpen(task), delay, pause, unit);
  }

  /** Takes no more tasks. What was handed over before still runs; then the end is reached. */
  @Override
  public void shutdown() {
    if (isShutdown) {
      return;
    }
    isShutdown = true;
    try {
      thread.execute(ended::countDown);
    } catch (RejectedExecutionException ownerHasEnded) {
      ended.countDown();
    }
  }

  @Override
  public List<Runnable> shutdownNow() {
    shutdown();
    return List.of();
  }

  @Override
  public boolean isShutdown() {
    return isShutdown;
  }

  @Override
  public boolean isTerminated() {
    return ended.getCount() == 0;
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
    return ended.await(timeout, unit);
  }
}
