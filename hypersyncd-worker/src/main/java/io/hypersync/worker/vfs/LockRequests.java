package io.hypersync.worker.vfs;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.lock.HeldLock;
import io.hypersync.model.lock.LockMode;
import io.hypersync.model.lock.LockRange;
import io.hypersync.model.lock.LockSpace;
import io.hypersync.wire.message.LeaderMessage.Holder;
import io.hypersync.wire.message.WorkerMessage.LockRequest.Wish;
import io.hypersync.worker.fuse.abi.FuseFlags;
import io.hypersync.worker.fuse.protocol.FileHandle;
import io.hypersync.worker.fuse.protocol.FuseLock;
import io.hypersync.worker.fuse.protocol.FuseOperation;
import io.hypersync.worker.fuse.protocol.RequestHeader;
import io.hypersync.worker.fuse.protocol.RequestId;
import io.hypersync.worker.fuse.session.FuseReply;
import io.hypersync.worker.lock.LockCall;
import io.hypersync.worker.lock.LockCompletion;
import io.hypersync.worker.lock.OwnerLockKey;
import org.jspecify.annotations.Nullable;

/** Answers flock and fcntl lock requests, and releases locks at close (hypersync.md 10.2). */
final class LockRequests {
  private static final int F_RDLCK = 0;
  private static final int F_WRLCK = 1;
  private static final int F_UNLCK = 2;

  private final Nodes nodes;
  private final Locks locks;

  LockRequests(Nodes nodes, Locks locks) {
    this.nodes = nodes;
    this.locks = locks;
  }

  void setLk(RequestHeader header, FuseOperation.SetLk request, FuseReply reply)
      throws RequestFailed {
    boolean flock = (request.lockFlags() & FuseFlags.Lock.FLOCK) != 0;
    LockSpace space = flock ? LockSpace.FLOCK : LockSpace.POSIX;
    OwnerLockKey key =
        new OwnerLockKey(nodes.id(header.nodeId(), request.fh()), space, request.owner());
    LockMode mode = mode(request.lock());
    LockRange range = flock ? LockRange.WHOLE : range(request.lock());
    if (mode != null) {
      locks.heldLocks().asked(key, request.fh());
    } else if (!locks.heldLocks().mayHold(key)) {
      reply.ok();
      return;
    }
    Wish wish = request.waiting() ? Wish.WAIT : Wish.TRY;
    locks.submit(
        new LockCall(
            header.unique(),
            key,
            request.lock().pid(),
            range,
            mode,
            wish,
            new Ending(reply) {
              @Override
              public void granted() {
                reply.ok();
              }

              @Override
              public void denied(Holder holder) {
                reply.error(Errno.EAGAIN);
              }
            }));
  }

  void getLk(RequestHeader header, FuseOperation.GetLk request, FuseReply reply)
      throws RequestFailed {
    OwnerLockKey key =
        new OwnerLockKey(nodes.id(header.nodeId(), request.fh()), LockSpace.POSIX, request.owner());
    FuseLock asked = request.lock();
    LockMode mode = mode(asked);
    if (mode == null) {
      throw new RequestFailed(Errno.EINVAL);
    }
    locks.submit(
        new LockCall(
            header.unique(),
            key,
            asked.pid(),
            range(asked),
            mode,
            Wish.TEST,
            new Ending(reply) {
              @Override
              public void granted() {
                reply.lock(new FuseLock(asked.start(), asked.end(), F_UNLCK, 0));
              }

              @Override
              public void denied(Holder holder) {
                HeldLock lock = holder.lock();
                int type = lock.mode() == LockMode.SHARED ? F_RDLCK : F_WRLCK;
                reply.lock(
                    new FuseLock(lock.range().first(), lock.range().last(), type, holder.pid()));
              }
            }));
  }

  /**
   * Answers FLUSH: a descriptor was closed. POSIX then drops all of the process's fcntl locks on
   * the file, through whichever descriptor they were taken. close(2) returns once the leader has
   * dropped them, so that a process that learns of the close can take the lock.
   */
  void flush(RequestHeader header, FuseOperation.Flush request, FuseReply reply)
      throws RequestFailed {
    OwnerLockKey key =
        new OwnerLockKey(
            nodes.id(header.nodeId(), request.fh()), LockSpace.POSIX, request.lockOwner());
    if (locks.heldLocks().mayHold(key)) {
      locks.release(key, reply::ok);
    } else {
      reply.ok();
    }
  }

  /**
   * The last descriptor of an open file was closed. Releases the locks that were taken through it:
   * flock and F_OFD locks, for which the kernel sends no other request at their end.
   */
  void released(FileHandle fh) {
    for (OwnerLockKey key : locks.heldLocks().closed(fh)) {
      locks.release(key, () -> {});
    }
  }

  void interrupted(RequestId unique) {
    locks.interrupted(unique);
  }

  private static @Nullable LockMode mode(FuseLock lock) throws RequestFailed {
    return switch (lock.type()) {
      case F_RDLCK -> LockMode.SHARED;
      case F_WRLCK -> LockMode.EXCLUSIVE;
      case F_UNLCK -> null;
      default -> throw new RequestFailed(Errno.EINVAL);
    };
  }

  private static LockRange range(FuseLock lock) throws RequestFailed {
    if (lock.start() < 0 || lock.end() < lock.start()) {
      throw new RequestFailed(Errno.EINVAL);
    }
    return new LockRange(lock.start(), lock.end());
  }

  private abstract static class Ending implements LockCompletion {
    private final FuseReply reply;

    Ending(FuseReply reply) {
      this.reply = reply;
    }

    @Override
    public void failed(Errno errno) {
      reply.error(errno);
    }
  }
}
