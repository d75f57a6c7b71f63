package io.hypersync.worker.vfs;

import io.hypersync.worker.fuse.protocol.RequestId;
import io.hypersync.worker.lock.HeldLocks;
import io.hypersync.worker.lock.LockCall;
import io.hypersync.worker.lock.OwnerLockKey;
import java.util.ArrayList;
import java.util.List;

/** Records the lock calls that the vfs submits. */
final class TestLocks implements Locks {
  final List<LockCall> calls = new ArrayList<>();
  final List<OwnerLockKey> released = new ArrayList<>();
  final List<RequestId> interrupted = new ArrayList<>();
  private final HeldLocks heldLocks = new HeldLocks();

  @Override
  public HeldLocks heldLocks() {
    return heldLocks;
  }

  @Override
  public void submit(LockCall call) {
    calls.add(call);
  }

  @Override
  public void release(OwnerLockKey key, Runnable done) {
    released.add(key);
    done.run();
  }

  @Override
  public void interrupted(RequestId unique) {
    interrupted.add(unique);
  }
}
