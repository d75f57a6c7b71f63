package io.hypersync.worker.fuse.jnr;

import io.hypersync.model.id.InodeNo;
import io.hypersync.worker.fuse.abi.FuseFlags.SetAttrValid;
import io.hypersync.worker.fuse.protocol.FileHandle;
import io.hypersync.worker.fuse.protocol.FuseAttr;
import io.hypersync.worker.fuse.protocol.FuseLock;
import io.hypersync.worker.fuse.protocol.FuseLockOwner;
import io.hypersync.worker.fuse.protocol.FuseStatFs;
import jnr.ffi.Pointer;
import jnr.ffi.Runtime;
import jnr.ffi.Struct;
import ru.serce.jnrfuse.struct.FileStat;
import ru.serce.jnrfuse.struct.Flock;
import ru.serce.jnrfuse.struct.FuseContext;
import ru.serce.jnrfuse.struct.FuseFileInfo;
import ru.serce.jnrfuse.struct.Statvfs;

/**
 * Reads and writes the structs of libfuse and libc. Where their fields are is jnr-fuse's knowledge;
 * it is asked once, because its objects are made of dozens each.
 */
final class NativeStructs {
  private static final long NANOS = 1_000_000_000L;
  private static final int TIMESPEC_BYTES = 16;
  private static final int TIMESPEC_NANOS = 8;

  /**
   * {@code f_namemax} is the second field after {@code f_fsid}; jnr-fuse has one between them that
   * only 32-bit machines have.
   */
  private static final int AFTER_FSID = 2 * Long.BYTES;

  /** {@code tv_nsec} of utimensat(2): the present time. */
  static final long UTIME_NOW = (1L << 30) - 1;

  /** {@code tv_nsec} of utimensat(2): leave this one. */
  static final long UTIME_OMIT = (1L << 30) - 2;

  private static final Pointer LAYOUTS =
      Runtime.getSystemRuntime().getMemoryManager().allocateDirect(512, true);
  private static final FileStat STAT = FileStat.of(LAYOUTS);
  private static final FuseFileInfo FILE = FuseFileInfo.of(LAYOUTS);
  private static final FuseContext CONTEXT = FuseContext.of(LAYOUTS);
  private static final Flock LOCK = Flock.of(LAYOUTS);
  private static final Statvfs TOTALS = Statvfs.of(LAYOUTS);

  private NativeStructs() {}

  /** The bytes of a C string, without its NUL. */
  static byte[] bytes(Pointer text) {
    byte[] bytes = new byte[text.indexOf(0, (byte) 0)];
    text.get(0, bytes, 0, bytes.length);
    return bytes;
  }

  static Caller caller(Pointer context) {
    return new Caller(
        context.getInt(CONTEXT.uid.offset()),
        context.getInt(CONTEXT.gid.offset()),
        context.getInt(CONTEXT.pid.offset()));
  }

  // struct fuse_file_info

  static FileHandle handle(Pointer file) {
    return new FileHandle(file.getLong(FILE.fh.offset()));
  }

  static void setHandle(Pointer file, FileHandle fh) {
    file.putLong(FILE.fh.offset(), fh.value());
  }

  /** Flags as for open(2). */
  static int flags(Pointer file) {
    return file.getInt(FILE.flags.offset());
  }

  static FuseLockOwner lockOwner(Pointer file) {
    return new FuseLockOwner(file.getLong(FILE.lock_owner.offset()));
  }

  // struct stat

  static void putAttr(Pointer stat, FuseAttr attr) {
    stat.setMemory(0, Struct.size(STAT), (byte) 0);
    stat.putLong(STAT.st_ino.offset(), attr.ino().value());
    stat.putLong(STAT.st_nlink.offset(), attr.nlink());
    stat.putInt(STAT.st_mode.offset(), attr.mode());
    stat.putInt(STAT.st_uid.offset(), attr.uid());
    stat.putInt(STAT.st_gid.offset(), attr.gid());
    stat.putLong(STAT.st_rdev.offset(), Integer.toUnsignedLong(attr.rdev()));
    stat.putLong(STAT.st_size.offset(), attr.size());
    stat.putLong(STAT.st_blksize.offset(), attr.blksize());
    stat.putLong(STAT.st_blocks.offset(), attr.blocks());
    putTime(stat, STAT.st_atim.tv_sec.offset(), attr.atimeNs());
    putTime(stat, STAT.st_mtim.tv_sec.offset(), attr.mtimeNs());
    putTime(stat, STAT.st_ctim.tv_sec.offset(), attr.ctimeNs());
  }

  /** What a row of a listing shows: number and type. */
  static void putRow(Pointer stat, InodeNo ino, int direntType) {
    stat.setMemory(0, Struct.size(STAT), (byte) 0);
    stat.putLong(STAT.st_ino.offset(), ino.value());
    stat.putInt(STAT.st_mode.offset(), direntType << 12);
  }

  /** The size of {@code struct stat}. */
  static int statBytes() {
    return Struct.size(STAT);
  }

  private static void putTime(Pointer stat, long offset, long ns) {
    stat.putLong(offset, Math.floorDiv(ns, NANOS));
    stat.putLong(offset + TIMESPEC_NANOS, Math.floorMod(ns, NANOS));
  }

  // struct statvfs

  static void putTotals(Pointer statvfs, FuseStatFs totals) {
    statvfs.putLong(TOTALS.f_bsize.offset(), totals.bsize());
    statvfs.putLong(TOTALS.f_frsize.offset(), totals.frsize());
    statvfs.putLong(TOTALS.f_blocks.offset(), totals.blocks());
    statvfs.putLong(TOTALS.f_bfree.offset(), totals.bfree());
    statvfs.putLong(TOTALS.f_bavail.offset(), totals.bavail());
    statvfs.putLong(TOTALS.f_files.offset(), totals.files());
    statvfs.putLong(TOTALS.f_ffree.offset(), totals.ffree());
    statvfs.putLong(TOTALS.f_favail.offset(), totals.ffree());
    statvfs.putLong(TOTALS.f_fsid.offset() + AFTER_FSID, totals.namelen());
  }

  // struct flock

  static FuseLock lock(Pointer flock) {
    long start = flock.getLong(LOCK.l_start.offset());
    long length = flock.getLong(LOCK.l_len.offset());
    long end = length == 0 ? Long.MAX_VALUE : start + length - 1;
    return new FuseLock(
        start, end, flock.getShort(LOCK.l_type.offset()), flock.getInt(LOCK.l_pid.offset()));
  }

  static void putLock(Pointer flock, FuseLock lock) {
    flock.putShort(LOCK.l_type.offset(), (short) lock.type());
    flock.putLong(LOCK.l_start.offset(), lock.start());
    flock.putLong(
        LOCK.l_len.offset(), lock.end() == Long.MAX_VALUE ? 0 : lock.end() - lock.start() + 1);
    flock.putInt(LOCK.l_pid.offset(), lock.pid());
  }

  // struct timespec[2]

  /**
   * The times of utimensat(2).
   *
   * @param valid bits of {@link SetAttrValid}
   * @param atimeNs nanoseconds since the epoch; of no meaning unless {@code valid} says so
   * @param mtimeNs likewise
   */
  record Times(int valid, long atimeNs, long mtimeNs) {}

  /**
   * Reads both times. For UTIME_NOW of the access time this host's clock is used, as the kernel
   * does; the modification time is then the leader's.
   */
  static Times times(Pointer both, long nowNs) {
    long atime = both.getLong(TIMESPEC_NANOS);
    long mtime = both.getLong(TIMESPEC_BYTES + TIMESPEC_NANOS);
    int valid =
        valid(atime, SetAttrValid.ATIME, SetAttrValid.ATIME_NOW)
            | valid(mtime, SetAttrValid.MTIME, SetAttrValid.MTIME_NOW);
    return new Times(valid, time(both, 0, nowNs), time(both, TIMESPEC_BYTES, nowNs));
  }

  private static int valid(long nanos, int given, int now) {
    if (nanos == UTIME_OMIT) {
      return 0;
    }
    return nanos == UTIME_NOW ? given | now : given;
  }

  private static long time(Pointer both, long offset, long nowNs) {
    long nanos = both.getLong(offset + TIMESPEC_NANOS);
    if (nanos == UTIME_NOW || nanos == UTIME_OMIT) {
      return nowNs;
    }
    long most = Long.MAX_VALUE / NANOS - 1;
    return Math.clamp(both.getLong(offset), -most, most) * NANOS + nanos;
  }
}
