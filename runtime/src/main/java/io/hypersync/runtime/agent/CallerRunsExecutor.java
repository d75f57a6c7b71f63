package io.hypersync.runtime.agent;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread of some agents, which a caller's thread can stand in for while it rests: then a call
 * wakes nobody. Tasks run one at a time, in all cases: whoever runs one owns the agents.
 *
 * <p>There are two kinds of owners.
 *
 * <ul>
 *   <li><b>Home</b>, the event loop. Its tasks, and all that the network brings ({@link #owned}),
 *       wait until they own the agents.
 *   <li><b>A caller</b>, any other thread that brings a task by {@link #runOrExecute}. It never
 *       waits: if somebody owns the agents its task goes home, where it meets others, and they are
 *       dealt with together. If nobody does, it runs its task, and those that this makes, up to a
 *       limit; what is left then goes home.
 * </ul>
 *
 * <p>Why this is right:
 *
 * <ul>
 *   <li><b>One owner.</b> All of it runs under one lock, so it is mutually exclusive, and what one
 *       owner has written the next one sees. Agents may move from thread to thread, but have none
 *       of their own: nothing of theirs is confined to a thread.
 *   <li><b>No deadlock.</b> Only home waits for the lock, and it holds nothing else while it does.
 *       An owner waits for what an agent may wait for: its disk, at most. It never waits for a
 *       kernel that waits for the caller: what can block there has threads of its own.
 *   <li><b>No task is lost.</b> A task is either run by its owner, or handed to home's queue, which
 *       wakes home. What a caller has not run, the next owner runs before anything else, so tasks
 *       stay in order; home is woken for it before the caller gives the agents back.
 *   <li><b>An owner that fails.</b> A task that throws is logged as one of the event loop would be;
 *       the agents are given back in any case.
 *   <li><b>Home's own things.</b> What only the event loop may touch, such as its connections, is
 *       put off by a caller ({@link #atHome}) and done by home before anything else it does as the
 *       owner, so nothing of home overtakes it.
 * </ul>
 */
public final class CallerRunsExecutor extends AbstractExecutorService
    implements ScheduledExecutorService, CallerRuns {
  private static final Logger LOG = LoggerFactory.getLogger(CallerRunsExecutor.class);

  /**
   * So many tasks a caller runs besides its own: several times what one commit makes. More than
   * that is work of others.
   */
  private static final int CALLERS_TASKS = 32;

  private final ReentrantLock owner = new ReentrantLock();
  private final ScheduledExecutorService home;

  /** Tasks that a caller's run has made, and not run; used by the owner only. */
  private final ArrayDeque<Runnable> made = new ArrayDeque<>();

  /** What a caller has put off until home is the owner; used by the owner only. */
  private final ArrayDeque<Runnable> putOff = new ArrayDeque<>();

  /**
   * The owner, if it is a caller. Another thread that reads this may see an old value, but never
   * itself: only a thread itself writes its name here, and removes it.
   */
  private volatile @Nullable Thread caller;

  /**
   * Lets callers stand in for a thread.
   *
   * @param home runs one task at a time; must hold no lock that a caller may need
   */
  public CallerRunsExecutor(ScheduledExecutorService home) {
    this.home = home;
  }

  /** Home itself is no caller while it owns the agents: a task is never run within another. */
  @Override
  public void runOrExecute(Runnable task) {
    // Home goes first if it waits: else callers that follow each other would keep it away.
    if (owner.isHeldByCurrentThread()
        || home.isShutdown()
        || owner.hasQueuedThreads()
        || !owner.tryLock()) {
      execute(task);
      return;
    }
    try {
      if (!made.isEmpty()) { // what another caller has left goes first
        execute(task);
        return;
      }
      caller = Thread.currentThread();
      run(task);
      for (int i = 0; i < CALLERS_TASKS && !made.isEmpty(); i++) {
        run(made.removeFirst());
      }
    } finally {
      giveBack();
    }
  }

  private void giveBack() {
    caller = null;
    try {
      if (!made.isEmpty() || !putOff.isEmpty()) {
        home.execute(() -> owned(() -> {})); // which does what is left first
      }
    } catch (RejectedExecutionException ended) {
      LOG.debug("the agents' thread has ended", ended);
    } finally {
      owner.unlock();
    }
  }

  private static void run(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      LOG.error("a task of the agents' thread failed", e);
    }
  }

  /** Runs this as the owner, on home; waits for a caller that owns the agents now. */
  public void owned(Runnable task) {
    own();
    try {
      task.run();
    } finally {
      owner.unlock();
    }
  }

  /** Becomes the owner, and does what callers have left, unless this is within another task. */
  private void own() {
    owner.lock();
    if (owner.getHoldCount() == 1) {
      runAll(putOff);
      runAll(made);
    }
  }

  private static void runAll(Queue<Runnable> tasks) {
    for (Runnable next = tasks.poll(); next != null; next = tasks.poll()) {
      run(next);
    }
  }

  /**
   * Does what only home may do: at once, if the owner is home, else as the first thing that home
   * does next. Only the owner may call this.
   */
  public void atHome(Runnable task) {
    if (isCaller()) {
      putOff.addLast(task);
    } else {
      task.run();
    }
  }

  /** Whether something waits for home to be the owner. Only the owner may call this. */
  public boolean hasPutOff() {
    return !putOff.isEmpty();
  }

  /** Whether this thread owns the agents, and is not home. */
  public boolean isCaller() {
    return Thread.currentThread().equals(caller);
  }

  @Override
  public void execute(Runnable task) {
    if (isCaller()) {
      made.addLast(task);
    } else {
      home.execute(() -> owned(task));
    }
  }

  @Override
  public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
    return home.schedule(() -> owned(task), delay, unit);
  }

  @Override
  public <V> ScheduledFuture<V> schedule(Callable<V> task, long delay, TimeUnit unit) {
    return home.schedule(
        () -> {
          own();
          try {
            return task.call();
          } finally {
            owner.unlock();
          }
        },
        delay,
        unit);
  }

  @Override
  public ScheduledFuture<?> scheduleAtFixedRate(
      Runnable task, long delay, long period, TimeUnit unit) {
    return home.scheduleAtFixedRate(() -> owned(task), delay, period, unit);
  }

  @Override
  public ScheduledFuture<?> scheduleWithFixedDelay(
      Runnable task, long delay, long pause, TimeUnit unit) {
    return home.scheduleWithFixedDelay(() -> owned(task), delay, pause, unit);
  }

  @Override
  public void shutdown() {
    home.shutdown();
  }

  @Override
  public List<Runnable> shutdownNow() {
    return home.shutdownNow();
  }

  @Override
  public boolean isShutdown() {
    return home.isShutdown();
  }

  @Override
  public boolean isTerminated() {
    return home.isTerminated();
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
    return home.awaitTermination(timeout, unit);
  }
}
