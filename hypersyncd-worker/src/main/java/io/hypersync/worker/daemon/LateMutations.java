package io.hypersync.worker.daemon;

import io.hypersync.model.id.NodeId;
import io.hypersync.worker.intents.Mutation;
import io.hypersync.worker.vfs.Mutations;
import java.util.function.Supplier;

/** The way to a loop that is made after the vfs which uses it. */
record LateMutations(Supplier<AgentLoop> loop) implements Mutations {
  @Override
  public boolean isWritable() {
    return loop.get().isWritable();
  }

  @Override
  public void submit(Mutation mutation) {
    loop.get().submit(mutation);
  }

  @Override
  public void fsync(NodeId node, Runnable done) {
    loop.get().fsync(node, done);
  }
}
