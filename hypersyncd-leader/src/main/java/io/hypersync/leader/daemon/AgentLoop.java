package io.hypersync.leader.daemon;

import io.hypersync.leader.LeaderAgent;
import io.hypersync.wire.agent.AgentInvoker;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The way back to the agent from other threads: everything runs on the transport's thread. */
final class AgentLoop {
  private static final Logger LOG = LoggerFactory.getLogger(AgentLoop.class);
  private static final long TICK_MS = 10;

  private final LeaderAgent agent;
  private final ScheduledExecutorService thread;
  private final AgentInvoker invoker;
  private final Runnable onFailure;

  AgentLoop(LeaderAgent agent, ScheduledExecutorService thread, Runnable onFailure) {
    this.agent = agent;
    this.thread = thread;
    this.onFailure = onFailure;
    this.invoker = new AgentInvoker(agent, thread, onFailure);
  }

  void start() {
    ScheduledFuture<?> _ =
        thread.scheduleAtFixedRate(invoker::wake, 0, TICK_MS, TimeUnit.MILLISECONDS);
  }

  /** Lets the agent see what has changed. */
  void wake() {
    invoker.wake();
  }

  /** Calls the agent on its thread, then lets it work. */
  void post(Consumer<LeaderAgent> call) {
    try {
      thread.execute(
          () -> {
            guarded(call);
            invoker.wake();
          });
    } catch (RejectedExecutionException e) {
      LOG.debug("the leader has stopped: nobody is there to be told", e);
    }
  }

  /** Calls the agent; to be used on its thread only. An agent that throws is done for. */
  void guarded(Consumer<LeaderAgent> call) {
    try {
      call.accept(agent);
    } catch (RuntimeException | Error e) {
      onFailure.run();
      throw e;
    }
  }
}
