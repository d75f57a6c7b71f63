package io.hypersync.wire.agent;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The way to an agent from other threads: calls queue up and run on the transport's thread, all
 * that have come by then before one {@code doWork}, which sends what they brought with one flush.
 *
 * @param <A> the agent
 */
public final class AgentLoop<A extends Agent> implements Agent {
  private static final Logger LOG = LoggerFactory.getLogger(AgentLoop.class);
  private static final long TICK_MS = 10;

  private final A agent;
  private final ScheduledExecutorService thread;
  private final AgentInvoker invoker;
  private final Consumer<? super Throwable> onFailure;
  private final Queue<Consumer<? super A>> calls = new ConcurrentLinkedQueue<>();

  /** The agent has thrown and is not called any more; only its thread knows. */
  private boolean failed;

  /**
   * A loop that does not turn yet.
   *
   * @param thread of the transport: runs one task at a time
   * @param onFailure told what the agent has thrown: its state can no longer be trusted
   */
  public AgentLoop(
      A agent, ScheduledExecutorService thread, Consumer<? super Throwable> onFailure) {
    this.agent = agent;
    this.thread = thread;
    this.onFailure = onFailure;
    this.invoker = new AgentInvoker(this, thread, onFailure);
  }

  /** Begins to let the agent see that time passes. */
  public void start() {
    ScheduledFuture<?> _ =
        thread.scheduleAtFixedRate(invoker::wake, 0, TICK_MS, TimeUnit.MILLISECONDS);
  }

  /** Lets the agent see what has changed, soon; any thread. */
  public void wake() {
    invoker.wake();
  }

  /** Has the agent called on its thread, soon; any thread. Nobody is called after the end. */
  public void post(Consumer<? super A> call) {
    calls.add(call);
    invoker.wake();
  }

  /**
   * Has something run on the agent's thread when what has come to the transport by now has been
   * delivered and the agent has looked at it; any thread. After the end nothing is run.
   */
  public void afterArrivals(Runnable call) {
    try {
      // From a task of its thread the transport does the second step only when it has read again.
      thread.execute(
          () -> {
            ScheduledFuture<?> _ =
                thread.schedule(() -> guarded(_ -> call.run()), 0, TimeUnit.NANOSECONDS);
          });
    } catch (RejectedExecutionException e) {
      LOG.debug("{} has stopped: nothing arrives any more", agent, e);
    }
  }

  /** Calls the agent; to be used on its thread only. An agent that throws is done for. */
  public void guarded(Consumer<? super A> call) {
    if (failed) {
      return;
    }
    try {
      call.accept(agent);
    } catch (RuntimeException | Error e) {
      failed = true;
      onFailure.accept(e);
      throw e;
    }
  }

  /** Lets the agent answer what has arrived; to be used on its thread only. */
  public void flushPoint() {
    guarded(
        _ -> {
          if (doWork() > 0) {
            wake(); // a slice ends before the work does, and no other packet may come
          }
        });
  }

  /** For what any thread may ask the agent. */
  public A agent() {
    return agent;
  }

  @Override
  public int doWork() {
    if (failed) {
      calls.clear();
      return 0;
    }
    try {
      int work = 0;
      for (Consumer<? super A> call = calls.poll(); call != null; call = calls.poll()) {
        call.accept(agent);
        work++;
      }
      return work + agent.doWork();
    } catch (RuntimeException | Error e) {
      failed = true;
      throw e;
    }
  }

  @Override
  public String toString() {
    return "loop of " + agent.getClass().getSimpleName();
  }
}
