package io.hypersync.runtime.agent;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs an agent on a single-threaded executor. In production that is the transport's event loop, so
 * a packet is handled on the thread that received it, without a hand-over. Any thread may call
 * {@link #wake}; several wakes before a run cause one run.
 *
 * <p>Happens-before: {@code scheduled} is cleared before {@code doWork} reads its inputs, so an
 * input published before a wake is seen by some run that begins its work after that wake was
 * called.
 */
final class AgentInvoker {
  private static final Logger LOG = LoggerFactory.getLogger(AgentInvoker.class);

  private final Agent agent;
  private final Executor executor;
  private final AtomicBoolean scheduled = new AtomicBoolean();

  /**
   * Makes an invoker that does not run the agent before the first {@link #wake}.
   *
   * @param agent its {@code doWork} must not throw, as that of an {@link AgentLoop}
   * @param executor must run one task at a time
   */
  AgentInvoker(Agent agent, Executor executor) {
    this.agent = agent;
    this.executor = executor;
  }

  /**
   * Schedules a run of {@code doWork}, if none is scheduled yet. Does nothing once the executor has
   * shut down.
   */
  void wake() {
    if (scheduled.compareAndSet(false, true)) {
      try {
        executor.execute(this::run);
      } catch (RejectedExecutionException e) {
        LOG.debug("{} has stopped: there is nothing to wake", agent, e);
      }
    }
  }

  /** As {@link #wake}, but runs it in this call if its thread rests and lets callers do that. */
  void runOrWake() {
    if (executor instanceof CallerRuns here) {
      if (scheduled.compareAndSet(false, true)) {
        try {
          here.runOrExecute(this::run);
        } catch (RejectedExecutionException e) {
          LOG.debug("{} has stopped: there is nothing to wake", agent, e);
        }
      }
    } else {
      wake();
    }
  }

  private void run() {
    scheduled.set(false);
    if (agent.doWork() > 0) {
      wake(); // a new task, so that the executor runs other tasks between two slices
    }
  }
}
