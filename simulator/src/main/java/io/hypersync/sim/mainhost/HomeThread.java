package io.hypersync.sim.mainhost;

import io.hypersync.sim.world.Host;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * The event loop of the leader's process, as an executor: its tasks are events of the simulated
 * process. It has no timer, since a simulated process has one of its own.
 */
final class HomeThread extends AbstractExecutorService implements ScheduledExecutorService {
  private final Host host;
  private int waiting;

  HomeThread(Host host) {
    this.host = host;
  }

  /** Whether a task waits, so that the thread is awake or about to be. */
  boolean isWoken() {
    return waiting > 0;
  }

  @Override
  public void execute(Runnable task) {
    waiting++;
    host.execute(
        () -> {
          waiting--;
          task.run();
        });
  }

  @Override
  public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
    throw noTimer();
  }

  @Override
  public <V> ScheduledFuture<V> schedule(Callable<V> task, long delay, TimeUnit unit) {
    throw noTimer();
  }

  @Override
  public ScheduledFuture<?> scheduleAtFixedRate(
      Runnable task, long delay, long period, TimeUnit unit) {
    throw noTimer();
  }

  @Override
  public ScheduledFuture<?> scheduleWithFixedDelay(
      Runnable task, long delay, long pause, TimeUnit unit) {
    throw noTimer();
  }

  private static UnsupportedOperationException noTimer() {
    return new UnsupportedOperationException("a simulated process has its own timer");
  }

  @Override
  public void shutdown() {
    host.crash();
  }

  @Override
  public List<Runnable> shutdownNow() {
    shutdown();
    return List.of();
  }

  @Override
  public boolean isShutdown() {
    return !host.isAlive();
  }

  @Override
  public boolean isTerminated() {
    return !host.isAlive();
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) {
    return isTerminated();
  }
}
