package io.hypersync.worker.fuse.abi;

import java.util.EnumSet;
import java.util.Set;

/**
 * The flags that are negotiated in INIT: the kernel offers some, and the daemon's reply has those
 * that it accepts. Bits 0 to 31 are in {@code flags}, bits 32 to 63 in {@code flags2}; bit 31 is
 * reserved.
 */
public enum InitFlag {
  /** Reads of one file may be sent in parallel. */
  ASYNC_READ(0),
  /** fcntl locks are sent to the daemon. */
  POSIX_LOCKS(1),
  /** Never used by the kernel. */
  FILE_OPS(2),
  /** O_TRUNC stays in the open flags instead of becoming a separate SETATTR. */
  ATOMIC_O_TRUNC(3),
  /** The daemon answers lookups of "." and "..". */
  EXPORT_SUPPORT(4),
  /** Writes larger than 4 KiB. */
  BIG_WRITES(5),
  /** The kernel does not apply the umask to new files. */
  DONT_MASK(6),
  /** The device takes spliced replies. */
  SPLICE_WRITE(7),
  /** The device moves spliced pages. */
  SPLICE_MOVE(8),
  /** Requests can be spliced out of the device. */
  SPLICE_READ(9),
  /** flock locks are sent to the daemon. */
  FLOCK_LOCKS(10),
  /** ioctl on directories. */
  HAS_IOCTL_DIR(11),
  /** Cached pages are dropped when the attributes show a change. */
  AUTO_INVAL_DATA(12),
  /** The daemon supports READDIRPLUS. */
  DO_READDIRPLUS(13),
  /** READDIRPLUS is sent only for directories whose listings were followed by lookups. */
  READDIRPLUS_AUTO(14),
  /** Direct I/O of one call may be sent in parallel. */
  ASYNC_DIO(15),
  /** Writes stay in the page cache and are sent later. */
  WRITEBACK_CACHE(16),
  /** The daemon may answer ENOSYS to OPEN; the kernel then never sends it again. */
  NO_OPEN_SUPPORT(17),
  /** Lookups and listings of one directory run in parallel. */
  PARALLEL_DIROPS(18),
  /** The daemon clears set-id bits on write, chown and truncate. */
  HANDLE_KILLPRIV(19),
  /** POSIX access control lists, checked by the kernel. */
  POSIX_ACL(20),
  /** Reading the device after an abort returns ECONNABORTED. */
  ABORT_ERROR(21),
  /** {@code fuse_init_out.max_pages} is valid. */
  MAX_PAGES(22),
  /** Link targets are cached. */
  CACHE_SYMLINKS(23),
  /** The daemon may answer ENOSYS to OPENDIR; the kernel then never sends it again. */
  NO_OPENDIR_SUPPORT(24),
  /** Cached pages are dropped on a notification only. */
  EXPLICIT_INVAL_DATA(25),
  /** {@code fuse_init_out.map_alignment} is valid; DAX only. */
  MAP_ALIGNMENT(26),
  /** Directories can be marked as submounts. */
  SUBMOUNTS(27),
  /** Set-id bits are cleared by the daemon, only where the request says so. */
  HANDLE_KILLPRIV_V2(28),
  /** SETXATTR carries the longer {@code fuse_setxattr_in}. */
  SETXATTR_EXT(29),
  /** {@code flags2} of INIT is valid, in both directions. */
  INIT_EXT(30),
  /** Creating requests carry a security context. */
  SECURITY_CTX(32),
  /** DAX is chosen per inode. */
  HAS_INODE_DAX(33),
  /** Creating requests carry a supplementary group. */
  CREATE_SUPP_GROUP(34),
  /** Entry invalidations can expire instead of drop. */
  HAS_EXPIRE_ONLY(35),
  /** Direct I/O files can be mapped shared. */
  DIRECT_IO_ALLOW_MMAP(36),
  /** Reads and writes can go to a backing file. */
  PASSTHROUGH(37),
  /** The filesystem cannot be exported over NFS. */
  NO_EXPORT_SUPPORT(38),
  /** Requests in flight can be sent again. */
  HAS_RESEND(39),
  /** Mounts may map ids. */
  ALLOW_IDMAP(40),
  /** Requests may be sent over io_uring. */
  OVER_IO_URING(41),
  /** {@code fuse_init_out.request_timeout} is valid. */
  REQUEST_TIMEOUT(42);

  private final long mask;

  InitFlag(int bit) {
    this.mask = 1L << bit;
  }

  /** The flag as a bit of the 64-bit set: {@code flags | flags2 << 32}. */
  public long mask() {
    return mask;
  }

  /** All bits of a set of flags. */
  public static long maskOf(Set<InitFlag> flags) {
    long bits = 0;
    for (InitFlag flag : flags) {
      bits |= flag.mask;
    }
    return bits;
  }

  /** The flags named by {@code bits}; unknown bits are left out. */
  public static Set<InitFlag> setOf(long bits) {
    EnumSet<InitFlag> flags = EnumSet.noneOf(InitFlag.class);
    for (InitFlag flag : values()) {
      if ((bits & flag.mask) != 0) {
        flags.add(flag);
      }
    }
    return flags;
  }
}
