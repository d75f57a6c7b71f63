package io.hypersync.runtime.agent;

import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets other threads call an agent: calls are queued and run on the transport's thread. All calls
 * queued by then run before one {@code doWork}, so that what they send leaves with one flush.
 *
 * @param <A> the agent
 */
public final class AgentLoop<A extends Agent> implements Agent {
  private static final Logger LOG = LoggerFactory.getLogger(AgentLoop.class);
  private static final long TICK_MS = 10;

  private final A agent;
  private final ScheduledExecutorService thread;
  private final AgentInvoker invoker;
  private final CompletableFuture<Void> ended;
  private final Function<? super Throwable, ? extends Throwable> explained;
  private final Queue<Consumer<? super A>> calls = new ConcurrentLinkedQueue<>();

  /** The thread that is calling the agent; null in between. Calls can be within others. */
  private volatile @Nullable Thread caller;

  /** The agent has thrown and is not called any more; used on the agent's thread only. */
  private boolean failed;

  /**
   * Makes a loop without timer; {@link #start} starts that.
   *
   * @param thread the transport's event loop: runs one task at a time
   * @param ended completed exceptionally once the agent has thrown: its state cannot be trusted
   *     from then on, so its daemon has to end
   * @param explained what {@code ended} is completed with, given what the agent has thrown
   */
  public AgentLoop(
      A agent,
      ScheduledExecutorService thread,
      CompletableFuture<Void> ended,
      Function<? super Throwable, ? extends Throwable> explained) {
    this.agent = agent;
    this.thread = thread;
    this.ended = ended;
    this.explained = explained;
    this.invoker = new AgentInvoker(this, thread);
  }

  /**
   * Starts the timer that runs {@code doWork} every 10 ms, so that the agent notices the passing of
   * time.
   */
  public void start() {
    ScheduledFuture<?> _ =
        thread.scheduleAtFixedRate(invoker::wake, 0, TICK_MS, TimeUnit.MILLISECONDS);
  }

  /** Runs {@code doWork} soon. May be called from any thread. */
  public void wake() {
    invoker.wake();
  }

  /**
   * Calls the agent on its thread, soon, then runs {@code doWork}. May be called from any thread.
   * After the agent has failed or its thread has stopped, the call is dropped.
   */
  public void post(Consumer<? super A> call) {
    calls.add(call);
    invoker.wake();
  }

  /**
   * As {@link #post}; the call and {@code doWork} are run in this call if the agent rests and its
   * thread lets callers stand in for it ({@link CallerRuns}). For threads that wait for nothing
   * that the agent waits for, and hold no lock that it needs.
   */
  public void runOrPost(Consumer<? super A> call) {
    calls.add(call);
    invoker.runOrWake();
  }

  /**
   * Runs a task on the agent's thread after everything that the transport has received by now was
   * delivered and the agent has processed it. May be called from any thread. After the agent has
   * failed or its thread has stopped, the task is dropped.
   */
  public void afterArrivals(Runnable call) {
    try {
      // A task that is scheduled from a task of the event loop runs only after the loop has read
      // from the network once more.
      thread.execute(
          () -> {
            ScheduledFuture<?> _ =
                thread.schedule(() -> guarded(_ -> call.run()), 0, TimeUnit.NANOSECONDS);
          });
    } catch (RejectedExecutionException e) {
      LOG.debug("{} has stopped: nothing arrives any more", agent, e);
    }
  }

  /**
   * Calls the agent; only on its thread. If the agent throws, it has failed and is not called
   * again, and the exception is rethrown, so that the transport ends what has led to it.
   */
  public void guarded(Consumer<? super A> call) {
    if (failed) {
      return;
    }
    Thread before = caller;
    caller = Thread.currentThread();
    try {
      call.accept(agent);
    } catch (RuntimeException | Error e) {
      fail(e);
      throw e;
    } finally {
      caller = before;
    }
  }

  /**
   * Runs {@code doWork} once after a batch of packets has been delivered; only on the agent's
   * thread.
   */
  public void flushPoint() {
    guarded(
        _ -> {
          if (work() > 0) {
            wake(); // the slice ended before the work did, and maybe no packet follows
          }
        });
  }

  /** Whether this thread is calling the agent, so that it must not wait; any thread. */
  public boolean isAgentsThread() {
    return Thread.currentThread().equals(caller);
  }

  /** The agent, for its methods that any thread may call. */
  public A agent() {
    return agent;
  }

  /** Runs the queued calls and the agent's {@code doWork}; nothing once the agent has failed. */
  @Override
  public int doWork() {
    if (failed) {
      calls.clear();
      return 0;
    }
    Thread before = caller;
    caller = Thread.currentThread();
    try {
      return work();
    } catch (RuntimeException | Error e) {
      fail(e);
      return 0;
    } finally {
      caller = before;
    }
  }

  private int work() {
    int work = 0;
    for (Consumer<? super A> call = calls.poll(); call != null; call = calls.poll()) {
      call.accept(agent);
      work++;
    }
    return work + agent.doWork();
  }

  /** Whatever the agent was called for when it threw: it stops here, and its daemon ends. */
  private void fail(Throwable why) {
    if (failed) {
      return; // within another call, which has failed of the same
    }
    failed = true;
    try {
      LOG.error("{} failed and stops", agent.getClass().getSimpleName(), why);
    } finally {
      ended.completeExceptionally(explained.apply(why));
    }
  }

  @Override
  public String toString() {
    return "loop of " + agent.getClass().getSimpleName();
  }
}
