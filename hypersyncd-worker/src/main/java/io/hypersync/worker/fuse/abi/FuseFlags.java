package io.hypersync.worker.fuse.abi;

/** The flag words in requests and replies, one nested class for each word. */
public final class FuseFlags {
  private FuseFlags() {}

  /** {@code fuse_open_out.open_flags}, in the reply to OPEN, OPENDIR and CREATE. */
  public static final class OpenReply {
    /** Reads and writes of this handle bypass the page cache. */
    public static final int DIRECT_IO = 1;

    /** Pages cached by earlier handles stay valid. */
    public static final int KEEP_CACHE = 1 << 1;

    /** The handle cannot seek. */
    public static final int NONSEEKABLE = 1 << 2;

    /** The listing of this directory may be cached. */
    public static final int CACHE_DIR = 1 << 3;

    /** The handle has no position at all. */
    public static final int STREAM = 1 << 4;

    /** No FLUSH on close. */
    public static final int NOFLUSH = 1 << 5;

    /** Direct writes of one inode may be sent in parallel. */
    public static final int PARALLEL_DIRECT_WRITES = 1 << 6;

    private OpenReply() {}
  }

  /** {@code fuse_open_in.open_flags} and {@code fuse_create_in.open_flags}. */
  public static final class OpenRequest {
    /** Opening truncates: clear the set-id bits. */
    public static final int KILL_SUIDGID = 1;

    private OpenRequest() {}
  }

  /** {@code fuse_setattr_in.valid}. */
  public static final class SetAttrValid {
    /** The mode is to be set. */
    public static final int MODE = 1;

    /** The owner is to be set. */
    public static final int UID = 1 << 1;

    /** The group is to be set. */
    public static final int GID = 1 << 2;

    /** The size is to be set. */
    public static final int SIZE = 1 << 3;

    /** The access time is to be set. */
    public static final int ATIME = 1 << 4;

    /** The modification time is to be set. */
    public static final int MTIME = 1 << 5;

    /** The handle is valid. */
    public static final int FH = 1 << 6;

    /** The access time is to be the present. */
    public static final int ATIME_NOW = 1 << 7;

    /** The modification time is to be the present. */
    public static final int MTIME_NOW = 1 << 8;

    /** The lock owner is valid. */
    public static final int LOCKOWNER = 1 << 9;

    /** The change time is given. */
    public static final int CTIME = 1 << 10;

    /** Clear the set-id bits. */
    public static final int KILL_SUIDGID = 1 << 11;

    private SetAttrValid() {}
  }

  /** {@code fuse_write_in.write_flags}. */
  public static final class Write {
    /** Sent from the page cache: the handle is a guess. */
    public static final int CACHE = 1;

    /** The lock owner is valid. */
    public static final int LOCKOWNER = 1 << 1;

    /** Clear the set-id bits. */
    public static final int KILL_SUIDGID = 1 << 2;

    private Write() {}
  }

  /** {@code fuse_release_in.release_flags}. */
  public static final class Release {
    /** Flush the file, too. */
    public static final int FLUSH = 1;

    /** Release the flock locks of the lock owner. */
    public static final int FLOCK_UNLOCK = 1 << 1;

    private Release() {}
  }

  /** {@code fuse_lk_in.lk_flags}. */
  public static final class Lock {
    /** A flock(2) lock of the whole file, not an fcntl(2) range. */
    public static final int FLOCK = 1;

    private Lock() {}
  }

  /** {@code fuse_notify_inval_entry_out.flags}. */
  public static final class InvalidateEntry {
    /** Look the name up again before it is used, but leave it in place. */
    public static final int EXPIRE_ONLY = 1;

    private InvalidateEntry() {}
  }

  /** {@code fuse_rename2_in.flags}. */
  public static final class Rename {
    /** Fail with EEXIST when the new name exists. */
    public static final int NOREPLACE = 1;

    /** Swap the two names. */
    public static final int EXCHANGE = 1 << 1;

    /** Leave a whiteout at the old name. */
    public static final int WHITEOUT = 1 << 2;

    private Rename() {}
  }

  /** {@code fuse_setxattr_in.setxattr_flags}. */
  public static final class SetXattr {
    /** Setting {@code system.posix_acl_access} clears the set-group-id bit. */
    public static final int ACL_KILL_SGID = 1;

    private SetXattr() {}
  }
}
