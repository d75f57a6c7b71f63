package io.hypersync.worker.fuse.jnr;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.InodeNo;
import io.hypersync.worker.fuse.abi.FuseFlags;
import io.hypersync.worker.fuse.abi.FuseFlags.SetAttrValid;
import io.hypersync.worker.fuse.abi.FuseOpcode;
import io.hypersync.worker.fuse.protocol.FileHandle;
import io.hypersync.worker.fuse.protocol.FuseAttr;
import io.hypersync.worker.fuse.protocol.FuseEntry;
import io.hypersync.worker.fuse.protocol.FuseLock;
import io.hypersync.worker.fuse.protocol.FuseLockOwner;
import io.hypersync.worker.fuse.protocol.FuseOperation;
import io.hypersync.worker.fuse.protocol.FuseStatFs;
import java.nio.ByteBuffer;
import java.util.concurrent.Semaphore;

/**
 * The calls of libfuse 2, which name files by path or by the number of an open file, as requests by
 * node. Each method blocks until the call is through, and throws {@link CallFailed} with the errno
 * that the caller gets. Thread-safe.
 */
final class PathCalls {
  /** How many files and directories may be open at once. */
  static final int MOST_OPEN = 1 << 20;

  /** Reading and writing are called with at most this many bytes. */
  static final int MOST_BYTES = 128 << 10;

  private final RequestLine requests;
  private final OpenFiles open = new OpenFiles(MOST_OPEN);
  private final Semaphore lockWaiters;

  /**
   * Calls on a filesystem.
   *
   * @param mostLockWaiters how many calls may wait for locks at once: each takes one of libfuse's
   *     threads, and an unlock needs one, too
   */
  PathCalls(RequestLine requests, int mostLockWaiters) {
    this.requests = requests;
    this.lockWaiters = new Semaphore(mostLockWaiters);
  }

  // Names.

  FuseAttr getAttr(Caller caller, byte[] path) throws CallFailed {
    try (PathWalk walk = new PathWalk(requests, caller)) {
      PathWalk.Found found = walk.node(path);
      FuseAttr attr = found.attr();
      return attr == null ? attributes(caller, found.node(), 0, FileHandle.NONE) : attr;
    }
  }

  byte[] readLink(Caller caller, byte[] path) throws CallFailed {
    try (PathWalk walk = new PathWalk(requests, caller)) {
      return data(
          requests.ask(
              caller, walk.node(path).node(), FuseOpcode.READLINK, new FuseOperation.ReadLink()));
    }
  }

  void mkNod(Caller caller, byte[] path, int mode, int rdev) throws CallFailed {
    make(caller, path, FuseOpcode.MKNOD, name -> new FuseOperation.MkNod(name, mode, rdev, 0));
  }

  void mkDir(Caller caller, byte[] path, int mode) throws CallFailed {
    make(caller, path, FuseOpcode.MKDIR, name -> new FuseOperation.MkDir(name, mode, 0));
  }

  void symlink(Caller caller, byte[] target, byte[] path) throws CallFailed {
    make(caller, path, FuseOpcode.SYMLINK, name -> new FuseOperation.Symlink(name, target));
  }

  void link(Caller caller, byte[] from, byte[] to) throws CallFailed {
    try (PathWalk walk = new PathWalk(requests, caller)) {
      InodeNo node = walk.node(from).node();
      PathWalk.Place place = walk.place(to);
      hold(
          walk,
          requests.ask(
              caller,
              place.directory(),
              FuseOpcode.LINK,
              new FuseOperation.Link(node, place.name())));
    }
  }

  void unlink(Caller caller, byte[] path) throws CallFailed {
    try (PathWalk walk = new PathWalk(requests, caller)) {
      PathWalk.Place place = walk.place(path);
      var _ =
          requests.ask(
              caller, place.directory(), FuseOpcode.UNLINK, new FuseOperation.Unlink(place.name()));
    }
  }

  void rmDir(Caller caller, byte[] path) throws CallFailed {
    try (PathWalk walk = new PathWalk(requests, caller)) {
      PathWalk.Place place = walk.place(path);
      var _ =
          requests.ask(
              caller, place.directory(), FuseOpcode.RMDIR, new FuseOperation.RmDir(place.name()));
    }
  }

  void rename(Caller caller, byte[] from, byte[] to) throws CallFailed {
    try (PathWalk walk = new PathWalk(requests, caller)) {
      PathWalk.Place old = walk.place(from);
      PathWalk.Place place = walk.place(to);
      var _ =
          requests.ask(
              caller,
              old.directory(),
              FuseOpcode.RENAME,
              new FuseOperation.Rename(old.name(), place.directory(), place.name(), 0));
    }
  }

  private interface Making {
    FuseOperation of(byte[] name);
  }

  private void make(Caller caller, byte[] path, FuseOpcode opcode, Making making)
      throws CallFailed {
    try (PathWalk walk = new PathWalk(requests, caller)) {
      PathWalk.Place place = walk.place(path);
      hold(walk, requests.ask(caller, place.directory(), opcode, making.of(place.name())));
    }
  }

  // Attributes.

  void chmod(Caller caller, byte[] path, int mode) throws CallFailed {
    setAttr(caller, path, change(SetAttrValid.MODE, 0, 0, 0, mode, 0, 0));
  }

  /**
   * Changes owner and group.
   *
   * @param uid -1 to leave it
   * @param gid likewise
   */
  void chown(Caller caller, byte[] path, int uid, int gid) throws CallFailed {
    int valid = (uid == -1 ? 0 : SetAttrValid.UID) | (gid == -1 ? 0 : SetAttrValid.GID);
    setAttr(caller, path, change(valid, 0, 0, 0, 0, uid, gid));
  }

  void truncate(Caller caller, byte[] path, long size) throws CallFailed {
    setAttr(caller, path, change(newSize(caller), size, 0, 0, 0, 0, 0));
  }

  /**
   * Sets times.
   *
   * @param valid bits of {@link SetAttrValid}: ATIME, MTIME and their NOW forms
   * @param atimeNs nanoseconds since the epoch
   * @param mtimeNs likewise
   */
  void setTimes(Caller caller, byte[] path, int valid, long atimeNs, long mtimeNs)
      throws CallFailed {
    setAttr(caller, path, change(valid, 0, atimeNs, mtimeNs, 0, 0, 0));
  }

  private void setAttr(Caller caller, byte[] path, FuseOperation.SetAttr change) throws CallFailed {
    try (PathWalk walk = new PathWalk(requests, caller)) {
      var _ = requests.ask(caller, walk.node(path).node(), FuseOpcode.SETATTR, change);
    }
  }

  private static FuseOperation.SetAttr change(
      int valid, long size, long atimeNs, long mtimeNs, int mode, int uid, int gid) {
    return new FuseOperation.SetAttr(
        valid, FileHandle.NONE, size, FuseLockOwner.NONE, atimeNs, mtimeNs, 0, mode, uid, gid);
  }

  void setXattr(Caller caller, byte[] path, byte[] name, byte[] value, int flags)
      throws CallFailed {
    try (PathWalk walk = new PathWalk(requests, caller)) {
      var _ =
          requests.ask(
              caller,
              walk.node(path).node(),
              FuseOpcode.SETXATTR,
              new FuseOperation.SetXattr(name, value, flags, 0));
    }
  }

  /** The value, or its length in an {@link Answer.Size} if {@code size} is 0. */
  Answer getXattr(Caller caller, byte[] path, byte[] name, int size) throws CallFailed {
    try (PathWalk walk = new PathWalk(requests, caller)) {
      return requests.ask(
          caller,
          walk.node(path).node(),
          FuseOpcode.GETXATTR,
          new FuseOperation.GetXattr(name, size));
    }
  }

  /** The names, or their length in an {@link Answer.Size} if {@code size} is 0. */
  Answer listXattr(Caller caller, byte[] path, int size) throws CallFailed {
    try (PathWalk walk = new PathWalk(requests, caller)) {
      return requests.ask(
          caller, walk.node(path).node(), FuseOpcode.LISTXATTR, new FuseOperation.ListXattr(size));
    }
  }

  void removeXattr(Caller caller, byte[] path, byte[] name) throws CallFailed {
    try (PathWalk walk = new PathWalk(requests, caller)) {
      var _ =
          requests.ask(
              caller,
              walk.node(path).node(),
              FuseOpcode.REMOVEXATTR,
              new FuseOperation.RemoveXattr(name));
    }
  }

  FuseStatFs statFs(Caller caller) throws CallFailed {
    Answer answer =
        requests.ask(caller, InodeNo.ROOT, FuseOpcode.STATFS, new FuseOperation.StatFs());
    if (answer instanceof Answer.Totals(FuseStatFs totals)) {
      return totals;
    }
    throw new CallFailed(Errno.EIO);
  }

  // Open files.

  /**
   * Opens a file. The filesystem answers ESTALE if the path led to a file that has lost its name
   * meanwhile, as after a replacement by another host; then the path is walked once more.
   *
   * @param flags as open(2)
   */
  FileHandle open(Caller caller, byte[] path, int flags) throws CallFailed {
    try {
      return openOnce(caller, path, flags);
    } catch (CallFailed stale) {
      if (stale.errno() != Errno.ESTALE) {
        throw stale;
      }
      return openOnce(caller, path, flags);
    }
  }

  private FileHandle openOnce(Caller caller, byte[] path, int flags) throws CallFailed {
    try (PathWalk walk = new PathWalk(requests, caller)) {
      InodeNo node = walk.node(path).node();
      Answer answer = requests.ask(caller, node, FuseOpcode.OPEN, new FuseOperation.Open(flags, 0));
      return opened(caller, walk, node, answer, FuseOpcode.RELEASE);
    }
  }

  FileHandle openDirectory(Caller caller, byte[] path) throws CallFailed {
    try (PathWalk walk = new PathWalk(requests, caller)) {
      InodeNo node = walk.node(path).node();
      Answer answer =
          requests.ask(caller, node, FuseOpcode.OPENDIR, new FuseOperation.OpenDir(0, 0));
      return opened(caller, walk, node, answer, FuseOpcode.RELEASEDIR);
    }
  }

  FileHandle create(Caller caller, byte[] path, int mode, int flags) throws CallFailed {
    try (PathWalk walk = new PathWalk(requests, caller)) {
      PathWalk.Place place = walk.place(path);
      Answer answer =
          requests.ask(
              caller,
              place.directory(),
              FuseOpcode.CREATE,
              new FuseOperation.Create(place.name(), flags, mode, 0, 0));
      if (answer instanceof Answer.Created(FuseEntry entry, FileHandle fh)) {
        walk.hold(entry);
        return opened(caller, walk, entry.nodeId(), new Answer.Opened(fh), FuseOpcode.RELEASE);
      }
      throw new CallFailed(Errno.EIO);
    }
  }

  private FileHandle opened(
      Caller caller, PathWalk walk, InodeNo node, Answer answer, FuseOpcode release)
      throws CallFailed {
    if (!(answer instanceof Answer.Opened(FileHandle fh))) {
      throw new CallFailed(Errno.EIO);
    }
    try {
      open.add(fh, node);
    } catch (CallFailed tooMany) {
      release(caller, node, fh, 0, release);
      throw tooMany;
    }
    walk.keep(node); // held until it is closed
    return fh;
  }

  FuseAttr getAttr(Caller caller, FileHandle fh) throws CallFailed {
    return attributes(caller, open.node(fh), 1, fh);
  }

  void truncate(Caller caller, FileHandle fh, long size) throws CallFailed {
    var _ =
        requests.ask(
            caller,
            open.node(fh),
            FuseOpcode.SETATTR,
            change(newSize(caller), size, 0, 0, 0, 0, 0));
  }

  /** Reads at most {@link #MOST_BYTES}. */
  byte[] read(Caller caller, FileHandle fh, long offset, long size, int flags) throws CallFailed {
    int length = Math.clamp(size, 0, MOST_BYTES);
    return data(
        requests.ask(
            caller,
            open.node(fh),
            FuseOpcode.READ,
            new FuseOperation.Read(fh, offset, length, 0, FuseLockOwner.NONE, flags)));
  }

  /** Writes all bytes, or none. */
  int write(Caller caller, FileHandle fh, long offset, byte[] data, int flags) throws CallFailed {
    Answer answer =
        requests.ask(
            caller,
            open.node(fh),
            FuseOpcode.WRITE,
            new FuseOperation.Write(
                fh,
                offset,
                data,
                losesSetIds(caller) ? FuseFlags.Write.KILL_SUIDGID : 0,
                FuseLockOwner.NONE,
                flags));
    if (answer instanceof Answer.Size(int written)) {
      return written;
    }
    throw new CallFailed(Errno.EIO);
  }

  /** The next rows of a directory, in the kernel's format; none at its end. */
  ByteBuffer readDirectory(Caller caller, FileHandle fh, long offset, int size) throws CallFailed {
    Answer answer =
        requests.ask(
            caller, open.node(fh), FuseOpcode.READDIR, new FuseOperation.ReadDir(fh, offset, size));
    if (answer instanceof Answer.Rows(ByteBuffer rows)) {
      return rows;
    }
    throw new CallFailed(Errno.EIO);
  }

  void fsync(Caller caller, FileHandle fh, int flags) throws CallFailed {
    var _ =
        requests.ask(caller, open.node(fh), FuseOpcode.FSYNC, new FuseOperation.Fsync(fh, flags));
  }

  void fsyncDirectory(Caller caller, FileHandle fh, int flags) throws CallFailed {
    var _ =
        requests.ask(
            caller, open.node(fh), FuseOpcode.FSYNCDIR, new FuseOperation.FsyncDir(fh, flags));
  }

  void allocate(Caller caller, FileHandle fh, int mode, long offset, long length)
      throws CallFailed {
    var _ =
        requests.ask(
            caller,
            open.node(fh),
            FuseOpcode.FALLOCATE,
            new FuseOperation.Fallocate(fh, offset, length, mode));
  }

  void flush(Caller caller, FileHandle fh, FuseLockOwner owner) throws CallFailed {
    var _ =
        requests.ask(caller, open.node(fh), FuseOpcode.FLUSH, new FuseOperation.Flush(fh, owner));
  }

  void close(Caller caller, FileHandle fh, int flags) throws CallFailed {
    release(caller, open.remove(fh), fh, flags, FuseOpcode.RELEASE);
  }

  void closeDirectory(Caller caller, FileHandle fh) throws CallFailed {
    release(caller, open.remove(fh), fh, 0, FuseOpcode.RELEASEDIR);
  }

  private void release(Caller caller, InodeNo node, FileHandle fh, int flags, FuseOpcode opcode)
      throws CallFailed {
    FuseOperation operation =
        opcode == FuseOpcode.RELEASE
            ? new FuseOperation.Release(fh, flags, 0, FuseLockOwner.NONE)
            : new FuseOperation.ReleaseDir(fh, flags, 0, FuseLockOwner.NONE);
    var _ = requests.ask(caller, node, opcode, operation);
    PathWalk.forget(requests, caller, node);
  }

  // Locks.

  /** A lock that conflicts with this one, or this one with type 2 (none). */
  FuseLock getLock(Caller caller, FileHandle fh, FuseLockOwner owner, FuseLock lock)
      throws CallFailed {
    Answer answer =
        requests.ask(
            caller, open.node(fh), FuseOpcode.GETLK, new FuseOperation.GetLk(fh, owner, lock, 0));
    if (answer instanceof Answer.Lock(FuseLock found)) {
      return found;
    }
    throw new CallFailed(Errno.EIO);
  }

  /**
   * Takes or releases a lock of fcntl(2).
   *
   * @param waiting whether to wait for it; ENOLCK if too many calls do that already
   */
  void setLock(Caller caller, FileHandle fh, FuseLockOwner owner, FuseLock lock, boolean waiting)
      throws CallFailed {
    lock(caller, fh, new FuseOperation.SetLk(fh, owner, lock, 0, waiting));
  }

  /**
   * Takes or releases a lock of flock(2), which is of the open file.
   *
   * @param type 0 shared, 1 exclusive, 2 none
   * @param waiting as in {@link #setLock}
   */
  void setFlock(Caller caller, FileHandle fh, FuseLockOwner owner, int type, boolean waiting)
      throws CallFailed {
    FuseLock whole = new FuseLock(0, Long.MAX_VALUE, type, caller.pid());
    lock(caller, fh, new FuseOperation.SetLk(fh, owner, whole, FuseFlags.Lock.FLOCK, waiting));
  }

  private void lock(Caller caller, FileHandle fh, FuseOperation.SetLk request) throws CallFailed {
    InodeNo node = open.node(fh);
    if (!request.waiting()) {
      var _ = requests.ask(caller, node, FuseOpcode.SETLK, request);
      return;
    }
    if (!lockWaiters.tryAcquire()) {
      throw new CallFailed(Errno.ENOLCK);
    }
    try {
      var _ = requests.ask(caller, node, FuseOpcode.SETLKW, request);
    } finally {
      lockWaiters.release();
    }
  }

  private FuseAttr attributes(Caller caller, InodeNo node, int flags, FileHandle fh)
      throws CallFailed {
    Answer answer =
        requests.ask(caller, node, FuseOpcode.GETATTR, new FuseOperation.GetAttr(flags, fh));
    if (answer instanceof Answer.Attributes(FuseAttr attr)) {
      return attr;
    }
    throw new CallFailed(Errno.EIO);
  }

  private static int newSize(Caller caller) {
    return SetAttrValid.SIZE | (losesSetIds(caller) ? SetAttrValid.KILL_SUIDGID : 0);
  }

  /**
   * Whether a change by this caller clears the set-user-ID and set-group-ID bits. The protocol that
   * libfuse 2 speaks does not say so; root keeps them (CAP_FSETID).
   */
  private static boolean losesSetIds(Caller caller) {
    return caller.uid() != 0;
  }

  private static void hold(PathWalk walk, Answer answer) {
    if (answer instanceof Answer.Entry(FuseEntry entry)) {
      walk.hold(entry);
    }
  }

  private static byte[] data(Answer answer) throws CallFailed {
    if (answer instanceof Answer.Data(byte[] bytes)) {
      return bytes;
    }
    throw new CallFailed(Errno.EIO);
  }
}
