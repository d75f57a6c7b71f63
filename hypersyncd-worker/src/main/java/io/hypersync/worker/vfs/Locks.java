package io.hypersync.worker.vfs;

import io.hypersync.worker.lock.Holdings;
import io.hypersync.worker.lock.LockCall;
import io.hypersync.worker.lock.LockKey;

/** The way of locks out of the vfs, from any thread; nothing here blocks. */
public interface Locks {
  /** What this mount may hold. */
  Holdings holdings();

  /** Hands a call over; its ending is called later, or at once. */
  void submit(LockCall call);

  /** Frees what an owner holds of a file; {@code done} is called later, or at once. */
  void release(LockKey key, Runnable done);

  /** The caller of some request, of whatever kind, has got a signal. */
  void interrupted(long unique);
}
