package io.hypersync.worker.fuse.protocol;

import io.hypersync.model.errno.Errno;
import io.hypersync.worker.fuse.abi.AttrLayouts.Attr;
import io.hypersync.worker.fuse.abi.AttrLayouts.AttrOut;
import io.hypersync.worker.fuse.abi.AttrLayouts.EntryOut;
import io.hypersync.worker.fuse.abi.AttrLayouts.StatFsOut;
import io.hypersync.worker.fuse.abi.AttrLayouts.Statx;
import io.hypersync.worker.fuse.abi.AttrLayouts.StatxOut;
import io.hypersync.worker.fuse.abi.AttrLayouts.SxTime;
import io.hypersync.worker.fuse.abi.FileLayouts.CopyFileRangeOut;
import io.hypersync.worker.fuse.abi.FileLayouts.LseekOut;
import io.hypersync.worker.fuse.abi.FileLayouts.OpenOut;
import io.hypersync.worker.fuse.abi.FileLayouts.WriteOut;
import io.hypersync.worker.fuse.abi.HeaderLayouts.OutHeader;
import io.hypersync.worker.fuse.abi.LockLayouts.FileLock;
import io.hypersync.worker.fuse.abi.LockLayouts.LockOut;
import io.hypersync.worker.fuse.abi.XattrLayouts.GetXattrOut;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Encodes reply headers and reply bodies. Every returned buffer is new, in the kernel's byte order,
 * and ready to be read from 0 to its limit.
 */
public final class FuseReplyEncoder {
  private FuseReplyEncoder() {}

  /** The header of a successful reply, to be followed by {@code bodyBytes}. */
  public static ByteBuffer header(RequestId unique, int bodyBytes) {
    return header(unique, bodyBytes, 0);
  }

  /** A complete error reply. */
  public static ByteBuffer error(RequestId unique, Errno errno) {
    return header(unique, 0, -errno.code());
  }

  static ByteBuffer header(RequestId unique, int bodyBytes, int error) {
    return allocate(OutHeader.SIZE)
        .putInt(OutHeader.LEN, OutHeader.SIZE + bodyBytes)
        .putInt(OutHeader.ERROR, error)
        .putLong(OutHeader.UNIQUE, unique.value());
  }

  /** {@code fuse_entry_out} of a name that exists. */
  public static ByteBuffer entry(FuseEntry entry) {
    ByteBuffer out = allocate(EntryOut.SIZE);
    putEntry(out, 0, entry);
    return out;
  }

  /**
   * {@code fuse_entry_out} of a name that does not exist, to be cached for {@code ttlNs}
   * nanoseconds.
   */
  public static ByteBuffer negativeEntry(long ttlNs) {
    return allocate(EntryOut.SIZE)
        .putLong(EntryOut.ENTRY_VALID, KernelTime.seconds(ttlNs))
        .putInt(EntryOut.ENTRY_VALID_NSEC, KernelTime.nanos(ttlNs));
  }

  /** {@code fuse_attr_out}. */
  public static ByteBuffer attr(FuseAttr attr, long ttlNs) {
    ByteBuffer out =
        allocate(AttrOut.SIZE)
            .putLong(AttrOut.ATTR_VALID, KernelTime.seconds(ttlNs))
            .putInt(AttrOut.ATTR_VALID_NSEC, KernelTime.nanos(ttlNs));
    putAttr(out, AttrOut.ATTR, attr);
    return out;
  }

  /** {@code fuse_open_out}; {@code flags} of {@link io.hypersync.worker.fuse.abi.FuseFlags}. */
  public static ByteBuffer open(FileHandle fh, int flags) {
    ByteBuffer out = allocate(OpenOut.SIZE);
    putOpen(out, 0, fh, flags);
    return out;
  }

  /** {@code fuse_entry_out} and {@code fuse_open_out}, the reply to CREATE and TMPFILE. */
  public static ByteBuffer create(FuseEntry entry, FileHandle fh, int flags) {
    ByteBuffer out = allocate(EntryOut.SIZE + OpenOut.SIZE);
    putEntry(out, 0, entry);
    putOpen(out, EntryOut.SIZE, fh, flags);
    return out;
  }

  /** {@code fuse_write_out}; {@code size} as an unsigned number. */
  public static ByteBuffer write(int size) {
    return allocate(WriteOut.SIZE).putInt(WriteOut.LENGTH, size);
  }

  /** {@code fuse_copy_file_range_out}. */
  public static ByteBuffer copied64(long bytes) {
    return allocate(CopyFileRangeOut.SIZE).putLong(CopyFileRangeOut.BYTES_COPIED, bytes);
  }

  /** {@code fuse_statfs_out}. */
  public static ByteBuffer statFs(FuseStatFs totals) {
    return allocate(StatFsOut.SIZE)
        .putLong(StatFsOut.BLOCKS, totals.blocks())
        .putLong(StatFsOut.BFREE, totals.bfree())
        .putLong(StatFsOut.BAVAIL, totals.bavail())
        .putLong(StatFsOut.FILES, totals.files())
        .putLong(StatFsOut.FFREE, totals.ffree())
        .putInt(StatFsOut.BSIZE, totals.bsize())
        .putInt(StatFsOut.NAMELEN, totals.namelen())
        .putInt(StatFsOut.FRSIZE, totals.frsize());
  }

  /** {@code fuse_getxattr_out}. */
  public static ByteBuffer xattrSize(int size) {
    return allocate(GetXattrOut.SIZE).putInt(GetXattrOut.LENGTH, size);
  }

  /** {@code fuse_lseek_out}. */
  public static ByteBuffer lseek(long offset) {
    return allocate(LseekOut.SIZE).putLong(LseekOut.OFFSET, offset);
  }

  /** {@code fuse_lk_out}. */
  public static ByteBuffer lock(FuseLock lock) {
    return allocate(LockOut.SIZE)
        .putLong(LockOut.LK + FileLock.START, lock.start())
        .putLong(LockOut.LK + FileLock.END, lock.end())
        .putInt(LockOut.LK + FileLock.TYPE, lock.type())
        .putInt(LockOut.LK + FileLock.PID, lock.pid());
  }

  /** {@code fuse_statx_out}. */
  public static ByteBuffer statx(FuseStatx statx, long ttlNs) {
    FuseAttr attr = statx.attr();
    int base = StatxOut.STAT;
    ByteBuffer out =
        allocate(StatxOut.SIZE)
            .putLong(StatxOut.ATTR_VALID, KernelTime.seconds(ttlNs))
            .putInt(StatxOut.ATTR_VALID_NSEC, KernelTime.nanos(ttlNs))
            .putInt(base + Statx.MASK, statx.mask())
            .putInt(base + Statx.BLKSIZE, attr.blksize())
            .putLong(base + Statx.ATTRIBUTES, statx.attributes())
            .putInt(base + Statx.NLINK, attr.nlink())
            .putInt(base + Statx.UID, attr.uid())
            .putInt(base + Statx.GID, attr.gid())
            .putShort(base + Statx.MODE, (short) attr.mode())
            .putLong(base + Statx.INO, attr.ino().value())
            .putLong(base + Statx.ST_SIZE, attr.size())
            .putLong(base + Statx.BLOCKS, attr.blocks())
            .putLong(base + Statx.ATTRIBUTES_MASK, statx.attributesMask())
            .putInt(base + Statx.RDEV_MAJOR, (attr.rdev() & 0xfff00) >>> 8)
            .putInt(
                base + Statx.RDEV_MINOR, (attr.rdev() & 0xff) | ((attr.rdev() >>> 12) & 0xfff00));
    putTime(out, base + Statx.ATIME, attr.atimeNs());
    putTime(out, base + Statx.BTIME, statx.btimeNs());
    putTime(out, base + Statx.CTIME, attr.ctimeNs());
    putTime(out, base + Statx.MTIME, attr.mtimeNs());
    return out;
  }

  static void putEntry(ByteBuffer out, int base, FuseEntry entry) {
    out.putLong(base + EntryOut.NODEID, entry.nodeId().value())
        .putLong(base + EntryOut.GENERATION, entry.generation())
        .putLong(base + EntryOut.ENTRY_VALID, KernelTime.seconds(entry.entryTtlNs()))
        .putLong(base + EntryOut.ATTR_VALID, KernelTime.seconds(entry.attrTtlNs()))
        .putInt(base + EntryOut.ENTRY_VALID_NSEC, KernelTime.nanos(entry.entryTtlNs()))
        .putInt(base + EntryOut.ATTR_VALID_NSEC, KernelTime.nanos(entry.attrTtlNs()));
    putAttr(out, base + EntryOut.ATTR, entry.attr());
  }

  private static void putAttr(ByteBuffer out, int base, FuseAttr attr) {
    out.putLong(base + Attr.INO, attr.ino().value())
        .putLong(base + Attr.ST_SIZE, attr.size())
        .putLong(base + Attr.BLOCKS, attr.blocks())
        .putLong(base + Attr.ATIME, KernelTime.seconds(attr.atimeNs()))
        .putLong(base + Attr.MTIME, KernelTime.seconds(attr.mtimeNs()))
        .putLong(base + Attr.CTIME, KernelTime.seconds(attr.ctimeNs()))
        .putInt(base + Attr.ATIMENSEC, KernelTime.nanos(attr.atimeNs()))
        .putInt(base + Attr.MTIMENSEC, KernelTime.nanos(attr.mtimeNs()))
        .putInt(base + Attr.CTIMENSEC, KernelTime.nanos(attr.ctimeNs()))
        .putInt(base + Attr.MODE, attr.mode())
        .putInt(base + Attr.NLINK, attr.nlink())
        .putInt(base + Attr.UID, attr.uid())
        .putInt(base + Attr.GID, attr.gid())
        .putInt(base + Attr.RDEV, attr.rdev())
        .putInt(base + Attr.BLKSIZE, attr.blksize());
  }

  private static void putOpen(ByteBuffer out, int base, FileHandle fh, int flags) {
    out.putLong(base + OpenOut.FH, fh.value()).putInt(base + OpenOut.OPEN_FLAGS, flags);
  }

  private static void putTime(ByteBuffer out, int base, long ns) {
    out.putLong(base + SxTime.SEC, KernelTime.seconds(ns))
        .putInt(base + SxTime.NSEC, KernelTime.nanos(ns));
  }

  private static ByteBuffer allocate(int size) {
    return ByteBuffer.allocate(size).order(ByteOrder.nativeOrder());
  }
}
