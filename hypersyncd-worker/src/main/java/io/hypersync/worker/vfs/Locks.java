package io.hypersync.worker.vfs;

import io.hypersync.worker.fuse.protocol.RequestId;
import io.hypersync.worker.lock.HeldLocks;
import io.hypersync.worker.lock.LockCall;
import io.hypersync.worker.lock.OwnerLockKey;

/** Hands lock requests from the vfs to the agent. Callable from any thread; nothing here blocks. */
public interface Locks {
  /** The locks that this mount may hold. */
  HeldLocks heldLocks();

  /**
   * Submits a lock call; its ending is called later on the agent's thread, or before this returns.
   */
  void submit(LockCall call);

  /** Releases all locks of an owner on a file; {@code done} runs later, or before this returns. */
  void release(OwnerLockKey key, Runnable done);

  /** The caller of a request of any kind, not only of a lock request, has received a signal. */
  void interrupted(RequestId unique);
}
