package io.hypersync.worker.memory;

import io.hypersync.model.id.NodeId;
import io.hypersync.model.lock.LockMode;
import io.hypersync.model.lock.LockRange;
import io.hypersync.model.lock.LockSpace;
import io.hypersync.wire.message.WorkerMessage.LockRequest.Wish;
import io.hypersync.worker.fuse.protocol.FileHandle;
import io.hypersync.worker.fuse.protocol.FuseLockOwner;
import io.hypersync.worker.fuse.protocol.RequestId;
import io.hypersync.worker.lock.LockCall;
import io.hypersync.worker.lock.LockCompletion;
import io.hypersync.worker.lock.OwnerLockKey;
import io.hypersync.worker.vfs.Locks;

/**
 * The lease by which one host at a time has a database's shared memory: an exclusive lock of the
 * database's last possible byte, in the leader's one lock table (hypersync.md 10.2). So it lives,
 * is renewed and ends as every lock of this worker does. SQLite never locks that byte; a program
 * that locks all of a file finds the database in use, which it is.
 */
final class DatabaseLease {
  private static final LockRange BYTE = new LockRange(LockRange.TO_THE_END, LockRange.TO_THE_END);

  /** No handle of the vfs, which counts from 1: its end must not free the lease. */
  private static final FileHandle NO_HANDLE = new FileHandle(-1);

  private final Locks locks;

  DatabaseLease(Locks locks) {
    this.locks = locks;
  }

  private static OwnerLockKey key(NodeId database) {
    return new OwnerLockKey(database, LockSpace.POSIX, FuseLockOwner.HOST);
  }

  /** Asks for the lease; does not wait for another host, nor for a leader that is away. */
  void ask(NodeId database, LockCompletion ending) {
    OwnerLockKey key = key(database);
    locks.heldLocks().asked(key, NO_HANDLE);
    locks.submit(new LockCall(RequestId.NONE, key, 0, BYTE, LockMode.EXCLUSIVE, Wish.TRY, ending));
  }

  /** It is lost, and nothing here rests on it any more. */
  void lost(NodeId database) {
    locks.heldLocks().knowsOfLoss(key(database));
  }

  /**
   * Gives it back; what is asked for later does not overtake this.
   *
   * @param done run when the leader has it back, or at once without a connection
   */
  void giveBack(NodeId database, Runnable done) {
    locks.release(key(database), done);
  }
}
