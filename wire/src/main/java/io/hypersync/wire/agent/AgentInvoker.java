package io.hypersync.wire.agent;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs an agent on a single-threaded executor, in production the event loop of the transport: no
 * thread hop lies between a packet and the decision on it. Any thread may {@link #wake}; wakes that
 * meet one another become one run.
 *
 * <p>Happens-before: {@code scheduled} is cleared before {@code doWork} reads its inputs, so an
 * input published before a wake is seen by the run which that wake causes or by a later one.
 */
public final class AgentInvoker {
  private static final Logger LOG = LoggerFactory.getLogger(AgentInvoker.class);

  private final Agent agent;
  private final Executor executor;
  private final Consumer<? super Throwable> onFailure;
  private final AtomicBoolean scheduled = new AtomicBoolean();

  /**
   * Makes an invoker.
   *
   * @param executor must run one task at a time
   * @param onFailure told what the agent has thrown: its state can no longer be trusted
   */
  public AgentInvoker(Agent agent, Executor executor, Consumer<? super Throwable> onFailure) {
    this.agent = agent;
    this.executor = executor;
    this.onFailure = onFailure;
  }

  /** Has {@code doWork} run soon. */
  public void wake() {
    if (scheduled.compareAndSet(false, true)) {
      try {
        executor.execute(this::run);
      } catch (RejectedExecutionException e) {
        LOG.debug("{} has stopped: there is nothing to wake", agent, e);
      }
    }
  }

  private void run() {
    scheduled.set(false);
    try {
      if (agent.doWork() > 0) {
        wake(); // between two slices the executor gets to its other tasks
      }
    } catch (RuntimeException | Error e) {
      LOG.error("{} failed and stops", agent.getClass().getSimpleName(), e);
      onFailure.accept(e);
    }
  }
}
