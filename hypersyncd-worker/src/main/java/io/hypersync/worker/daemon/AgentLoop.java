package io.hypersync.worker.daemon;

import io.hypersync.model.id.NodeId;
import io.hypersync.wire.agent.Agent;
import io.hypersync.wire.agent.AgentInvoker;
import io.hypersync.worker.WorkerAgent;
import io.hypersync.worker.intents.Mutation;
import io.hypersync.worker.vfs.Mutations;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The way to the agent from other threads: calls queue up and run on the transport's thread, all
 * that have come by then before one {@code doWork}, which sends what they brought with one flush.
 */
final class AgentLoop implements Agent, Mutations {
  private static final long TICK_MS = 10;

  private final WorkerAgent agent;
  private final ScheduledExecutorService thread;
  private final AgentInvoker invoker;
  private final Runnable onFailure;
  private final Queue<Consumer<WorkerAgent>> calls = new ConcurrentLinkedQueue<>();

  AgentLoop(WorkerAgent agent, ScheduledExecutorService thread, Runnable onFailure) {
    this.agent = agent;
    this.thread = thread;
    this.onFailure = onFailure;
    this.invoker = new AgentInvoker(this, thread, onFailure);
  }

  void start() {
    ScheduledFuture<?> _ =
        thread.scheduleAtFixedRate(invoker::wake, 0, TICK_MS, TimeUnit.MILLISECONDS);
  }

  /** Has the agent called on its thread, soon. */
  void post(Consumer<WorkerAgent> call) {
    calls.add(call);
    invoker.wake();
  }

  /** Calls the agent; to be used on its thread only. An agent that throws is done for. */
  void guarded(Consumer<WorkerAgent> call) {
    try {
      call.accept(agent);
    } catch (RuntimeException | Error e) {
      onFailure.run();
      throw e;
    }
  }

  @Override
  public int doWork() {
    int work = 0;
    for (Consumer<WorkerAgent> call = calls.poll(); call != null; call = calls.poll()) {
      call.accept(agent);
      work++;
    }
    return work + agent.doWork();
  }

  @Override
  public boolean isWritable() {
    return agent.isWritable();
  }

  @Override
  public void submit(Mutation mutation) {
    post(worker -> worker.submit(mutation));
  }

  @Override
  public void fsync(NodeId node, Runnable done) {
    post(worker -> worker.fsync(node, done));
  }
}
