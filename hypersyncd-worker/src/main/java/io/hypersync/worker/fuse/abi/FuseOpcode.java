package io.hypersync.worker.fuse.abi;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The kernel's requests: the number on the wire, and what is requested. */
public enum FuseOpcode {
  /** Find a child by name. */
  LOOKUP(1),
  /** Decrease the lookup count of one node; never answered. */
  FORGET(2, false),
  /** Read attributes. */
  GETATTR(3),
  /** Change attributes: mode, owner, size, times. */
  SETATTR(4),
  /** Read a symbolic link's target. */
  READLINK(5),
  /** Create a symbolic link. */
  SYMLINK(6),
  /** Create a file or a special node without opening it. */
  MKNOD(8),
  /** Create a directory. */
  MKDIR(9),
  /** Remove a name that is not a directory's. */
  UNLINK(10),
  /** Remove an empty directory. */
  RMDIR(11),
  /** Rename without flags. */
  RENAME(12),
  /** Create a hard link. */
  LINK(13),
  /** Open a file. */
  OPEN(14),
  /** Read a file. */
  READ(15),
  /** Write a file. */
  WRITE(16),
  /** Read the totals of the filesystem. */
  STATFS(17),
  /** The last descriptor of an open file was closed. */
  RELEASE(18),
  /** Make a file durable. */
  FSYNC(20),
  /** Set an extended attribute. */
  SETXATTR(21),
  /** Read an extended attribute. */
  GETXATTR(22),
  /** List the names of extended attributes. */
  LISTXATTR(23),
  /** Remove an extended attribute. */
  REMOVEXATTR(24),
  /** One descriptor of an open file was closed. */
  FLUSH(25),
  /** Negotiate version and flags; the first request of a mount. */
  INIT(26),
  /** Open a directory. */
  OPENDIR(27),
  /** List a directory. */
  READDIR(28),
  /** The last descriptor of an open directory was closed. */
  RELEASEDIR(29),
  /** Make a directory durable. */
  FSYNCDIR(30),
  /** Ask for a conflicting lock. */
  GETLK(31),
  /** Take or release a lock, without waiting. */
  SETLK(32),
  /** Take a lock, waiting for it. */
  SETLKW(33),
  /** Check access; not sent with default_permissions. */
  ACCESS(34),
  /** Create and open a file. */
  CREATE(35),
  /** The caller of another request has received a signal. */
  INTERRUPT(36),
  /** Map a block; for block devices only. */
  BMAP(37),
  /** The mount is going away; sent for block devices only. */
  DESTROY(38),
  /** A device control call, ioctl(2). */
  IOCTL(39),
  /** Ask for readiness, poll(2). */
  POLL(40),
  /** The answer to a retrieve notification; never answered. */
  NOTIFY_REPLY(41, false),
  /** Decrease the lookup counts of many nodes; never answered. */
  BATCH_FORGET(42, false),
  /** Preallocate, punch or zero a range. */
  FALLOCATE(43),
  /** List a directory, with the attributes of each name. */
  READDIRPLUS(44),
  /** Rename with flags. */
  RENAME2(45),
  /** Find data or a hole. */
  LSEEK(46),
  /** Copy between two files, at most 4 GiB. */
  COPY_FILE_RANGE(47),
  /** Map a DAX window; virtiofs only. */
  SETUPMAPPING(48),
  /** Unmap a DAX window; virtiofs only. */
  REMOVEMAPPING(49),
  /** Make the filesystem durable; virtiofs and block devices only. */
  SYNCFS(50),
  /** Create and open a file without a name. */
  TMPFILE(51),
  /** Read extended attributes such as the birth time, statx(2). */
  STATX(52),
  /** Copy between two files, with a 64-bit result. */
  COPY_FILE_RANGE_64(53);

  private static final @Nullable FuseOpcode[] BY_CODE = new FuseOpcode[64];

  static {
    for (FuseOpcode opcode : values()) {
      BY_CODE[opcode.code] = opcode;
    }
  }

  private final int code;
  private final boolean answered;
  private final String label = name().toLowerCase(Locale.ROOT);

  FuseOpcode(int code) {
    this(code, true);
  }

  FuseOpcode(int code, boolean answered) {
    this.code = code;
    this.answered = answered;
  }

  /** The opcode with this number; null if this version of the protocol has none. */
  public static @Nullable FuseOpcode of(int code) {
    return code > 0 && code < BY_CODE.length ? BY_CODE[code] : null;
  }

  /** The number in {@code fuse_in_header.opcode}. */
  public int code() {
    return code;
  }

  /** Whether the kernel waits for a reply. */
  public boolean isAnswered() {
    return answered;
  }

  /** What reports call it: lower case, words separated by {@code _}. */
  public String label() {
    return label;
  }
}
