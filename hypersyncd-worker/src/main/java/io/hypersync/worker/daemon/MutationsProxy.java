package io.hypersync.worker.daemon;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.runtime.agent.AgentLoop;
import io.hypersync.worker.WorkerAgent;
import io.hypersync.worker.fuse.protocol.RequestId;
import io.hypersync.worker.intents.Mutation;
import io.hypersync.worker.intents.WaitingCall;
import io.hypersync.worker.vfs.Mutations;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Brings mutations and waits to the agent, on the reader's thread if the agent rests; the loop is
 * looked up late because it is created after the vfs.
 *
 * @param reads runs reads again for which chunks were fetched
 */
record MutationsProxy(Supplier<AgentLoop<WorkerAgent>> loop, TransportLink link, Executor reads)
    implements Mutations {
  @Override
  public boolean isWritable() {
    return loop.get().agent().isWritable();
  }

  @Override
  public boolean isAwaitingLeader() {
    return loop.get().agent().isAwaitingLeader();
  }

  @Override
  public void whenWritable(WaitingCall call, Runnable refused) {
    loop.get().post(agent -> agent.whenWritable(call, refused));
  }

  @Override
  public int chunkMax() {
    return loop.get().agent().params().chunkMax();
  }

  @Override
  public boolean isFresh() {
    return loop.get().agent().isFresh();
  }

  @Override
  public boolean hasUnread() {
    return link.hasUnread();
  }

  @Override
  public void whenRead(Runnable ready) {
    loop.get().afterArrivals(ready);
  }

  @Override
  public void whenFresh(WaitingCall call) {
    BroughtCalls.bring(loop.get(), agent -> agent.whenFresh(call));
  }

  @Override
  public void whenCurrent(WaitingCall call) {
    BroughtCalls.bring(loop.get(), agent -> agent.whenCurrent(call));
  }

  @Override
  public boolean hasLostName(NodeId node) {
    return loop.get().agent().hasLostName(node);
  }

  @Override
  public void whenSettled(long index, Runnable ready) {
    loop.get().post(agent -> agent.whenSettled(index, ready));
  }

  @Override
  public void submit(Mutation mutation) {
    BroughtCalls.bring(loop.get(), agent -> agent.submit(mutation));
  }

  @Override
  public void fsync(NodeId node, WaitingCall call) {
    BroughtCalls.bring(loop.get(), agent -> agent.fsync(node, call));
  }

  @Override
  public void fetchAgain(List<ChunkRef> chunks, Runnable ready, Consumer<Errno> failed) {
    loop.get()
        .post(
            agent ->
                agent.fetchAgain(
                    chunks,
                    () -> reads.execute(ready),
                    errno -> reads.execute(() -> failed.accept(errno))));
  }

  @Override
  public void interrupted(RequestId unique, int pid) {
    loop.get().post(agent -> agent.interrupted(unique, pid));
  }
}
