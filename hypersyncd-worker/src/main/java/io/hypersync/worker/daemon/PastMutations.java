package io.hypersync.worker.daemon;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.runtime.agent.AgentLoop;
import io.hypersync.wire.message.NegotiatedParams;
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
 * The gate of a mount of the past: nothing passes but what asks the leader for pages and chunks.
 * Every mutation fails with EROFS, and nothing waits for newer state, because there is none.
 *
 * @param reads runs reads again for which something was fetched
 */
record PastMutations(Supplier<AgentLoop<WorkerAgent>> loop, Executor reads) implements Mutations {
  @Override
  public boolean isWritable() {
    return false;
  }

  @Override
  public int chunkMax() {
    return NegotiatedParams.DEFAULT.chunkMax();
  }

  @Override
  public boolean isFresh() {
    return true;
  }

  @Override
  public boolean hasUnread() {
    return false;
  }

  @Override
  public void whenRead(Runnable ready) {
    ready.run();
  }

  @Override
  public void whenFresh(WaitingCall call) {
    call.ready().run();
  }

  @Override
  public void whenCurrent(WaitingCall call) {
    call.ready().run();
  }

  @Override
  public boolean hasLostName(NodeId node) {
    return false;
  }

  @Override
  public void whenSettled(long index, Runnable ready) {
    ready.run();
  }

  @Override
  public void submit(Mutation mutation) {
    mutation.completion().failed(Errno.EROFS);
  }

  @Override
  public void fsync(NodeId node, WaitingCall call) {
    call.ready().run();
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
    // a read that waits for the leader goes on: its caller waits as for a slow disk
  }
}
