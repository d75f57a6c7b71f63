package io.hypersync.worker.daemon;

import io.hypersync.model.errno.Errno;
import io.hypersync.worker.fuse.protocol.RequestId;
import io.hypersync.worker.lock.HeldLocks;
import io.hypersync.worker.lock.LockCall;
import io.hypersync.worker.lock.OwnerLockKey;
import io.hypersync.worker.vfs.Locks;

/** Locks of a mount whose kernel keeps them by itself, so that no call arrives here. */
record KernelLocks(HeldLocks heldLocks) implements Locks {
  @Override
  public void submit(LockCall call) {
    call.ending().failed(Errno.ENOSYS);
  }

  @Override
  public void release(OwnerLockKey key, Runnable done) {
    done.run();
  }

  @Override
  public void interrupted(RequestId unique) {
    // nobody waits
  }
}
