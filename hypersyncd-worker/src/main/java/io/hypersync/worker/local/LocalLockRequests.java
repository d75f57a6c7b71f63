package io.hypersync.worker.local;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.InodeNo;
import io.hypersync.model.lock.LockMode;
import io.hypersync.model.lock.LockRange;
import io.hypersync.model.lock.LockSpace;
import io.hypersync.worker.fuse.abi.FuseFlags;
import io.hypersync.worker.fuse.protocol.FileHandle;
import io.hypersync.worker.fuse.protocol.FuseLock;
import io.hypersync.worker.fuse.protocol.FuseLockOwner;
import io.hypersync.worker.fuse.protocol.FuseOperation;
import io.hypersync.worker.fuse.protocol.RequestHeader;
import io.hypersync.worker.fuse.protocol.RequestId;
import io.hypersync.worker.fuse.session.FuseReply;
import io.hypersync.worker.vfs.RequestFailed;
import org.jspecify.annotations.Nullable;

/** Answers lock requests of local files. Nothing here blocks. */
public final class LocalLockRequests {
  /** The type of a shared lock. */
  public static final int F_RDLCK = 0;

  /** The type of an exclusive lock. */
  public static final int F_WRLCK = 1;

  private static final int F_UNLCK = 2;

  private final LocalLocks locks = new LocalLocks();

  /** Takes or releases a lock: fcntl, or flock. */
  public void set(RequestHeader header, FuseOperation.SetLk request, FuseReply reply)
      throws RequestFailed {
    boolean flock = (request.lockFlags() & FuseFlags.Lock.FLOCK) != 0;
    locks.set(
        new LocalLocks.Call(
            header.unique(),
            header.nodeId(),
            flock ? LockSpace.FLOCK : LockSpace.POSIX,
            request.owner(),
            request.lock().pid(),
            request.fh(),
            flock ? LockRange.WHOLE : range(request.lock()),
            mode(request.lock()),
            request.waiting(),
            new LocalLocks.Answer() {
              @Override
              public void granted() {
                reply.ok();
              }

              @Override
              public void failed(Errno errno) {
                reply.error(errno);
              }
            }));
  }

  /** Tells of the first lock that is in the way of one. */
  public void get(InodeNo node, FuseOperation.GetLk request, FuseReply reply) throws RequestFailed {
    FuseLock asked = request.lock();
    LockMode mode = mode(asked);
    if (mode == null) {
      throw new RequestFailed(Errno.EINVAL);
    }
    LocalLocks.Conflict conflict = locks.test(node, request.owner(), range(asked), mode);
    if (conflict == null) {
      reply.lock(new FuseLock(asked.start(), asked.end(), F_UNLCK, 0));
    } else {
      int type = conflict.lock().mode() == LockMode.SHARED ? F_RDLCK : F_WRLCK;
      LockRange range = conflict.lock().range();
      reply.lock(new FuseLock(range.first(), range.last(), type, conflict.pid()));
    }
  }

  /** A descriptor was closed: an owner's fcntl locks on the file end. */
  public void closed(InodeNo node, FuseLockOwner owner) {
    locks.closed(node, owner);
  }

  /** Whether anybody has a lock on the file. */
  public boolean holdsAny(InodeNo node) {
    return locks.holdsAny(node);
  }

  /** An open file has ended, and with it the locks that were taken through it alone. */
  public void released(InodeNo node, FileHandle handle) {
    locks.released(node, handle);
  }

  /** A request that waits here for a lock ends with EINTR. */
  public void interrupted(RequestId unique) {
    locks.interrupted(unique);
  }

  /** Null to unlock; EINVAL for what is no type. */
  public static @Nullable LockMode mode(FuseLock lock) throws RequestFailed {
    return switch (lock.type()) {
      case F_RDLCK -> LockMode.SHARED;
      case F_WRLCK -> LockMode.EXCLUSIVE;
      case F_UNLCK -> null;
      default -> throw new RequestFailed(Errno.EINVAL);
    };
  }

  /** EINVAL for what is no range. */
  public static LockRange range(FuseLock lock) throws RequestFailed {
    if (lock.start() < 0 || lock.end() < lock.start()) {
      throw new RequestFailed(Errno.EINVAL);
    }
    return new LockRange(lock.start(), lock.end());
  }
}
