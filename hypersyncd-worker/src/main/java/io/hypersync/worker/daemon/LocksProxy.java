package io.hypersync.worker.daemon;

import io.hypersync.runtime.agent.AgentLoop;
import io.hypersync.worker.WorkerAgent;
import io.hypersync.worker.fuse.protocol.RequestId;
import io.hypersync.worker.lock.HeldLocks;
import io.hypersync.worker.lock.LockCall;
import io.hypersync.worker.lock.OwnerLockKey;
import io.hypersync.worker.vfs.Locks;
import java.util.function.Supplier;

/**
 * Brings lock requests to the agent, on the reader's thread if the agent rests; the loop is looked
 * up late because it is created after the vfs.
 */
record LocksProxy(Supplier<AgentLoop<WorkerAgent>> loop) implements Locks {
  @Override
  public HeldLocks heldLocks() {
    return loop.get().agent().heldLocks();
  }

  @Override
  public void submit(LockCall call) {
    BroughtCalls.bring(loop.get(), agent -> agent.lock(call));
  }

  @Override
  public void release(OwnerLockKey key, Runnable done) {
    BroughtCalls.bring(loop.get(), agent -> agent.locks().release(key, done));
  }

  @Override
  public void interrupted(RequestId unique) {
    loop.get().post(agent -> agent.locks().interrupt(unique));
  }
}
