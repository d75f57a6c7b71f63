package io.hypersync.worker.fuse.protocol;

import io.hypersync.model.id.InodeNo;
import io.hypersync.worker.fuse.abi.FuseFlags.SetAttrValid;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * The kernel's requests to the filesystem, one record for each kind. The node that a request is
 * about is in its header; each record says which reply the kernel expects. Any request can be
 * answered with an error instead.
 *
 * <p>What kind a request is of ({@link Query}, {@link NameChange} and so on) decides how it is
 * scheduled, whoever answers it.
 *
 * <p>Requests that concern only the connection (INIT, INTERRUPT, DESTROY) are in {@link Decoded}.
 */
public sealed interface FuseOperation {
  /** Reads the filesystem and changes nothing. With strict_reads it waits until it is current. */
  sealed interface Query extends FuseOperation {}

  /**
   * A lookup, a stat or an open: answered from memory. Reads of an open file are none:
   * invalidations of pages wait for them.
   */
  sealed interface Look extends Query {}

  /** Opens a file or a directory. */
  sealed interface Opening extends Look {}

  /** Adds, removes or moves a name of the header's node, while the kernel holds its lock. */
  sealed interface NameChange extends FuseOperation {}

  /** Changes bytes, attributes or extended attributes, or makes a node without a name. */
  sealed interface Change extends FuseOperation {}

  /**
   * Neither reads the filesystem nor changes it: forgets, closes, syncs, locks, or is not served.
   */
  sealed interface Upkeep extends FuseOperation {}

  /** Find {@code name} in the node. Answer: entry. */
  record Lookup(byte[] name) implements Look {}

  /** Take back {@code lookups} lookups of the node. Never answered. */
  record Forget(long lookups) implements Upkeep {}

  /** Take back lookups of many nodes. Never answered. */
  record BatchForget(List<Row> rows) implements Upkeep {
    /** {@code lookups} lookups of {@code nodeId}. */
    public record Row(InodeNo nodeId, long lookups) {}
  }

  /** Read the node's attributes; {@code fh} is valid if the flags say so. Answer: attr. */
  record GetAttr(int flags, FileHandle fh) implements Look {}

  /**
   * Change the attributes that {@code valid} selects. Answer: attr, with the attributes after the
   * change.
   *
   * @param valid bits of {@link SetAttrValid}
   * @param atimeNs nanoseconds since the epoch, like the other times
   */
  record SetAttr(
      int valid,
      FileHandle fhBits,
      long sizeBits,
      FuseLockOwner lockOwner,
      long atimeNs,
      long mtimeNs,
      long ctimeNs,
      int modeBits,
      int uidBits,
      int gidBits)
      implements Change {
    /** Whether a bit of {@link SetAttrValid} is set. */
    public boolean has(int bit) {
      return (valid & bit) != 0;
    }

    /** The new size in bytes; empty if it is not to change. */
    public OptionalLong size() {
      return has(SetAttrValid.SIZE) ? OptionalLong.of(sizeBits) : OptionalLong.empty();
    }

    /** The new mode, type bits included; empty if it is not to change. */
    public OptionalInt mode() {
      return has(SetAttrValid.MODE) ? OptionalInt.of(modeBits) : OptionalInt.empty();
    }

    /** The new owner; empty if it is not to change. */
    public OptionalInt uid() {
      return has(SetAttrValid.UID) ? OptionalInt.of(uidBits) : OptionalInt.empty();
    }

    /** The new group; empty if it is not to change. */
    public OptionalInt gid() {
      return has(SetAttrValid.GID) ? OptionalInt.of(gidBits) : OptionalInt.empty();
    }
  }

  /** Read the target of a link. Answer: data. */
  record ReadLink() implements Query {}

  /** Create the link {@code name} to {@code target} in the node. Answer: entry. */
  record Symlink(byte[] name, byte[] target) implements NameChange {}

  /** Create a file or special node; {@code mode} has the umask applied. Answer: entry. */
  record MkNod(byte[] name, int mode, int rdev, int umask) implements NameChange {}

  /** Create a directory; {@code mode} has the umask applied. Answer: entry. */
  record MkDir(byte[] name, int mode, int umask) implements NameChange {}

  /** Remove a name that is not a directory's. Answer: ok. */
  record Unlink(byte[] name) implements NameChange {}

  /** Remove an empty directory. Answer: ok. */
  record RmDir(byte[] name) implements NameChange {}

  /**
   * Move {@code name} of the node to {@code newName} of {@code newParent}; RENAME and RENAME2.
   * Answer: ok.
   *
   * @param flags bits of {@link io.hypersync.worker.fuse.abi.FuseFlags.Rename}
   */
  record Rename(byte[] name, InodeNo newParent, byte[] newName, int flags) implements NameChange {}

  /** Give the node {@code target} the name {@code newName} in the header's node. Answer: entry. */
  record Link(InodeNo target, byte[] newName) implements NameChange {}

  /**
   * Open the node. Answer: open.
   *
   * @param flags as open(2), without O_CREAT and O_EXCL
   * @param openFlags bits of {@link io.hypersync.worker.fuse.abi.FuseFlags.OpenRequest}
   */
  record Open(int flags, int openFlags) implements Opening {}

  /** Read at most {@code size} bytes; fewer only at the end of the file. Answer: data. */
  record Read(
      FileHandle fh, long offset, int size, int readFlags, FuseLockOwner lockOwner, int openFlags)
      implements Query {}

  /**
   * Write all of {@code data}. Answer: write.
   *
   * <p>One write(2) may arrive as several of these, even if it is not larger than the negotiated
   * size: direct I/O from a buffer that is not page-aligned spans one page more than a request can
   * have.
   *
   * @param writeFlags bits of {@link io.hypersync.worker.fuse.abi.FuseFlags.Write}
   * @param openFlags as open(2): O_APPEND, O_DSYNC and so on
   */
  record Write(
      FileHandle fh,
      long offset,
      byte[] data,
      int writeFlags,
      FuseLockOwner lockOwner,
      int openFlags)
      implements Change {}

  /** Read the totals of the filesystem. Answer: statfs. */
  record StatFs() implements Query {}

  /**
   * The last descriptor of a handle was closed. Answer: ok; an error reaches no caller.
   *
   * @param releaseFlags bits of {@link io.hypersync.worker.fuse.abi.FuseFlags.Release}
   */
  record Release(FileHandle fh, int openFlags, int releaseFlags, FuseLockOwner lockOwner)
      implements Upkeep {}

  /** Make a file durable. Answer: ok. */
  record Fsync(FileHandle fh, int flags) implements Upkeep {}

  /**
   * Set an extended attribute. Answer: ok.
   *
   * @param flags XATTR_CREATE 1, XATTR_REPLACE 2, or 0
   * @param extendedFlags bits of {@link io.hypersync.worker.fuse.abi.FuseFlags.SetXattr}; 0 unless
   *     the long form was agreed on
   */
  record SetXattr(byte[] name, byte[] value, int flags, int extendedFlags) implements Change {}

  /** Read an extended attribute. Answer: xattrSize when {@code size} is 0, else data or ERANGE. */
  record GetXattr(byte[] name, int size) implements Query {}

  /**
   * List the names of extended attributes, each followed by a NUL. Answer: xattrSize when {@code
   * size} is 0, else data or ERANGE.
   */
  record ListXattr(int size) implements Query {}

  /** Remove an extended attribute. Answer: ok. */
  record RemoveXattr(byte[] name) implements Change {}

  /**
   * A descriptor was closed; its lock owner's fcntl locks are released. Answer: ok; close(2)
   * returns an error to its caller.
   */
  record Flush(FileHandle fh, FuseLockOwner lockOwner) implements Upkeep {}

  /** Open a directory. Answer: open. */
  record OpenDir(int flags, int openFlags) implements Opening {}

  /**
   * List a directory from {@code offset}: 0 or the cookie of the last row seen, into at most {@code
   * size} bytes. Answer: directory, empty at the end.
   */
  record ReadDir(FileHandle fh, long offset, int size) implements Query {}

  /** As {@link ReadDir}, with an entry in each row, which counts as a lookup. Answer: directory. */
  record ReadDirPlus(FileHandle fh, long offset, int size) implements Query {}

  /** The last descriptor of a directory was closed. Answer: ok. */
  record ReleaseDir(FileHandle fh, int openFlags, int releaseFlags, FuseLockOwner lockOwner)
      implements Upkeep {}

  /** Make a directory durable. Answer: ok. */
  record FsyncDir(FileHandle fh, int flags) implements Upkeep {}

  /** Ask for a lock that conflicts with this one. Answer: lock. */
  record GetLk(FileHandle fh, FuseLockOwner owner, FuseLock lock, int lockFlags)
      implements Upkeep {}

  /**
   * Take or release a lock; if {@code waiting}, wait for it. Answer: ok; EAGAIN if another owner
   * holds it and {@code waiting} is false; EINTR if the wait is interrupted.
   *
   * @param lockFlags bits of {@link io.hypersync.worker.fuse.abi.FuseFlags.Lock}
   */
  record SetLk(FileHandle fh, FuseLockOwner owner, FuseLock lock, int lockFlags, boolean waiting)
      implements Upkeep {}

  /** Check access as access(2). Answer: ok. */
  record Access(int mask) implements Upkeep {}

  /** Create and open {@code name}; {@code mode} has the umask applied. Answer: create. */
  record Create(byte[] name, int flags, int mode, int umask, int openFlags) implements NameChange {}

  /** Create and open a file without a name (O_TMPFILE) in the node. Answer: create. */
  record Tmpfile(int flags, int mode, int umask, int openFlags) implements Change {}

  /** Map a block. Not served: ENOSYS. */
  record Bmap(long block, int blockSize) implements Upkeep {}

  /** A control call, which takes at most {@code outSize} bytes. Not served: an error. */
  record Ioctl(FileHandle fh, int flags, int command, long argument, byte[] input, int outSize)
      implements Upkeep {}

  /** Ask for readiness; {@code events} as poll(2). Not served: ENOSYS. */
  record Poll(FileHandle fh, long pollHandle, int flags, int events) implements Upkeep {}

  /** Preallocate, punch or zero a range; {@code mode} as fallocate(2). Answer: ok. */
  record Fallocate(FileHandle fh, long offset, long length, int mode) implements Change {}

  /** Find data ({@code whence} 3) or a hole (4) from {@code offset}. Answer: lseek. */
  record Lseek(FileHandle fh, long offset, int whence) implements Query {}

  /** Copy from the node to {@code targetNode}. Answer: copied. */
  record CopyFileRange(
      FileHandle fh,
      long offset,
      InodeNo targetNode,
      FileHandle targetFh,
      long targetOffset,
      long length,
      long flags)
      implements Change {}

  /** Make the whole filesystem durable. Answer: ok. */
  record SyncFs() implements Upkeep {}

  /**
   * Read attributes, birth time included; {@code fh} is valid if the flags say so. Answer: statx.
   */
  record Statx(int getAttrFlags, FileHandle fh, int statxFlags, int mask) implements Look {}
}
