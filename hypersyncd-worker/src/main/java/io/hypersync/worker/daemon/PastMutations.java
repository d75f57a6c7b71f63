package io.hypersync.worker.daemon;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.wire.message.NegotiatedParams;
import io.hypersync.worker.fuse.protocol.RequestId;
import io.hypersync.worker.intents.Mutation;
import io.hypersync.worker.intents.WaitingCall;
import io.hypersync.worker.vfs.Mutations;
import java.util.List;
import java.util.function.Consumer;

/**
 * The gate of a mount of the past: nothing passes but what asks the leader for pages and chunks.
 * Every mutation fails with EROFS, and nothing waits for newer state, because there is none.
 *
 * @param live of the worker's own mount: fetches what is not here
 */
record PastMutations(Mutations live) implements Mutations {
  @Override
  public boolean isWritable() {
    return false;
  }

  @Override
  public boolean isAwaitingLeader() {
    return false;
  }

  @Override
  public void whenWritable(WaitingCall call, Runnable refused) {
    refused.run();
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
    live.fetchAgain(chunks, ready, failed);
  }

  @Override
  public void interrupted(RequestId unique, int pid) {
    // a read that waits for the leader goes on: its caller waits as for a slow disk
  }
}
