package io.hypersync.worker.daemon.local;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.InodeNo;
import io.hypersync.model.lock.LockMode;
import io.hypersync.model.lock.LockRange;
import io.hypersync.model.lock.LockSpace;
import io.hypersync.worker.fuse.abi.FuseFlags;
import io.hypersync.worker.fuse.dev.HostCallFailed;
import io.hypersync.worker.fuse.protocol.FileHandle;
import io.hypersync.worker.fuse.protocol.FuseLock;
import io.hypersync.worker.fuse.protocol.FuseOperation;
import io.hypersync.worker.fuse.protocol.RequestHeader;
import io.hypersync.worker.fuse.protocol.RequestId;
import io.hypersync.worker.fuse.session.FuseReply;
import io.hypersync.worker.local.LocalLocks;
import org.jspecify.annotations.Nullable;

/** Answers lock requests of local files. Nothing here blocks. */
final class LocalLockRequests {
  private static final int F_RDLCK = 0;
  private static final int F_WRLCK = 1;
  private static final int F_UNLCK = 2;

  private final LocalLocks locks = new LocalLocks();

  void set(RequestHeader header, FuseOperation.SetLk request, FuseReply reply)
      throws HostCallFailed {
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

  void get(InodeNo node, FuseOperation.GetLk request, FuseReply reply) throws HostCallFailed {
    FuseLock asked = request.lock();
    LockMode mode = mode(asked);
    if (mode == null) {
      throw new HostCallFailed(Errno.EINVAL);
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

  void flush(InodeNo node, FuseOperation.Flush request, FuseReply reply) {
    locks.closed(node, request.lockOwner());
    reply.ok();
  }

  void released(InodeNo node, FileHandle handle) {
    locks.released(node, handle);
  }

  /** A request that waits here for a lock ends with EINTR. */
  void interrupted(RequestId unique) {
    locks.interrupted(unique);
  }

  private static @Nullable LockMode mode(FuseLock lock) throws HostCallFailed {
    return switch (lock.type()) {
      case F_RDLCK -> LockMode.SHARED;
      case F_WRLCK -> LockMode.EXCLUSIVE;
      case F_UNLCK -> null;
      default -> throw new HostCallFailed(Errno.EINVAL);
    };
  }

  private static LockRange range(FuseLock lock) throws HostCallFailed {
    if (lock.start() < 0 || lock.end() < lock.start()) {
      throw new HostCallFailed(Errno.EINVAL);
    }
    return new LockRange(lock.start(), lock.end());
  }
}
