package io.hypersync.worker.fuse.abi;

/** The structs that carry or ask for attributes. */
public final class AttrLayouts {
  private AttrLayouts() {}

  /**
   * {@code fuse_attr}: the attributes of one node; times are split into seconds and nanoseconds.
   *
   * <pre>
   *    0 | ino                   | size                  |
   *   16 | blocks                | atime                 |
   *   32 | mtime                 | ctime                 |
   *   48 | atimensec | mtimensec | ctimensec | mode      |
   *   64 | nlink     | uid       | gid       | rdev      |
   *   80 | blksize   | flags     |
   * </pre>
   */
  public static final class Attr {
    /** Bytes of the fixed part. */
    public static final int SIZE = 88;

    public static final int INO = 0;

    /** Offset of {@code size}. */
    public static final int ST_SIZE = 8;

    public static final int BLOCKS = 16;

    public static final int ATIME = 24;

    public static final int MTIME = 32;

    public static final int CTIME = 40;

    public static final int ATIMENSEC = 48;

    public static final int MTIMENSEC = 52;

    public static final int CTIMENSEC = 56;

    public static final int MODE = 60;

    public static final int NLINK = 64;

    public static final int UID = 68;

    public static final int GID = 72;

    public static final int RDEV = 76;

    public static final int BLKSIZE = 80;

    public static final int FLAGS = 84;

    private Attr() {}
  }

  /**
   * {@code fuse_entry_out}: a name's node; node 0 is a cached absence. {@code attr} is a {@link
   * Attr}.
   *
   * <pre>
   *    0 | nodeid                | generation            |
   *   16 | entry_valid           | attr_valid            |
   *   32 | entry_valid_nsec| attr_valid_nsec| attr                                          |
   * </pre>
   */
  public static final class EntryOut {
    /** Bytes of the fixed part. */
    public static final int SIZE = 128;

    public static final int NODEID = 0;

    public static final int GENERATION = 8;

    public static final int ENTRY_VALID = 16;

    public static final int ATTR_VALID = 24;

    public static final int ENTRY_VALID_NSEC = 32;

    public static final int ATTR_VALID_NSEC = 36;

    public static final int ATTR = 40;

    private EntryOut() {}
  }

  /**
   * {@code fuse_attr_out}: attributes and how long they are valid. {@code attr} is a {@link Attr}.
   *
   * <pre>
   *    0 | attr_valid            | attr_valid_nsec| dummy     |
   *   16 | attr                                          |
   * </pre>
   */
  public static final class AttrOut {
    /** Bytes of the fixed part. */
    public static final int SIZE = 104;

    public static final int ATTR_VALID = 0;

    public static final int ATTR_VALID_NSEC = 8;

    public static final int ATTR = 16;

    private AttrOut() {}
  }

  /**
   * {@code fuse_getattr_in}: whether {@code fh} is valid, and {@code fh}.
   *
   * <pre>
   *    0 | getattr_flags| dummy     | fh                    |
   * </pre>
   */
  public static final class GetAttrIn {
    /** Bytes of the fixed part. */
    public static final int SIZE = 16;

    public static final int GETATTR_FLAGS = 0;

    public static final int FH = 8;

    private GetAttrIn() {}
  }

  /**
   * {@code fuse_setattr_in}: {@code valid} selects the fields to set.
   *
   * <pre>
   *    0 | valid     | pad       | fh                    |
   *   16 | size                  | lock_owner            |
   *   32 | atime                 | mtime                 |
   *   48 | ctime                 | atimensec | mtimensec |
   *   64 | ctimensec | mode      | unused4   | uid       |
   *   80 | gid       | unused5   |
   * </pre>
   */
  public static final class SetAttrIn {
    /** Bytes of the fixed part. */
    public static final int SIZE = 88;

    public static final int VALID = 0;

    public static final int FH = 8;

    /** Offset of {@code size}. */
    public static final int ST_SIZE = 16;

    public static final int LOCK_OWNER = 24;

    public static final int ATIME = 32;

    public static final int MTIME = 40;

    public static final int CTIME = 48;

    public static final int ATIMENSEC = 56;

    public static final int MTIMENSEC = 60;

    public static final int CTIMENSEC = 64;

    public static final int MODE = 68;

    public static final int UID = 76;

    public static final int GID = 80;

    private SetAttrIn() {}
  }

  /**
   * {@code fuse_statx_in}: the arguments of statx(2).
   *
   * <pre>
   *    0 | getattr_flags| reserved  | fh                    |
   *   16 | sx_flags  | sx_mask   |
   * </pre>
   */
  public static final class StatxIn {
    /** Bytes of the fixed part. */
    public static final int SIZE = 24;

    public static final int GETATTR_FLAGS = 0;

    public static final int FH = 8;

    public static final int SX_FLAGS = 16;

    public static final int SX_MASK = 20;

    private StatxIn() {}
  }

  /**
   * {@code fuse_sx_time}: a time of statx.
   *
   * <pre>
   *    0 | sec                   | nsec      | reserved  |
   * </pre>
   */
  public static final class SxTime {
    /** Bytes of the fixed part. */
    public static final int SIZE = 16;

    public static final int SEC = 0;

    public static final int NSEC = 8;

    private SxTime() {}
  }

  /**
   * {@code fuse_statx}: the attributes of statx; {@code atime} to {@code mtime} are {@link SxTime}.
   *
   * <pre>
   *    0 | mask      | blksize   | attributes            |
   *   16 | nlink     | uid       | gid       | mode | spare0|
   *   32 | ino                   | size                  |
   *   48 | blocks                | attributes_mask       |
   *   64 | atime                                         |
   *   80 | btime                                         |
   *   96 | ctime                                         |
   *  112 | mtime                                         |
   *  128 | rdev_major| rdev_minor| dev_major | dev_minor |
   *  144 | spare2                                        |
   * </pre>
   */
  public static final class Statx {
    /** Bytes of the fixed part. */
    public static final int SIZE = 256;

    public static final int MASK = 0;

    public static final int BLKSIZE = 4;

    public static final int ATTRIBUTES = 8;

    public static final int NLINK = 16;

    public static final int UID = 20;

    public static final int GID = 24;

    public static final int MODE = 28;

    public static final int INO = 32;

    /** Offset of {@code size}. */
    public static final int ST_SIZE = 40;

    public static final int BLOCKS = 48;

    public static final int ATTRIBUTES_MASK = 56;

    public static final int ATIME = 64;

    public static final int BTIME = 80;

    public static final int CTIME = 96;

    public static final int MTIME = 112;

    public static final int RDEV_MAJOR = 128;

    public static final int RDEV_MINOR = 132;

    public static final int DEV_MAJOR = 136;

    public static final int DEV_MINOR = 140;

    private Statx() {}
  }

  /**
   * {@code fuse_statx_out}: statx and how long it is valid. {@code stat} is a {@link Statx}.
   *
   * <pre>
   *    0 | attr_valid            | attr_valid_nsec| flags     |
   *   16 | spare                                         |
   *   32 | stat                                          |
   * </pre>
   */
  public static final class StatxOut {
    /** Bytes of the fixed part. */
    public static final int SIZE = 288;

    public static final int ATTR_VALID = 0;

    public static final int ATTR_VALID_NSEC = 8;

    public static final int STAT = 32;

    private StatxOut() {}
  }

  /**
   * {@code fuse_statfs_out}: the filesystem's totals, in units of {@code frsize}.
   *
   * <pre>
   *    0 | blocks                | bfree                 |
   *   16 | bavail                | files                 |
   *   32 | ffree                 | bsize     | namelen   |
   *   48 | frsize    | pad       | spare                                         |
   * </pre>
   */
  public static final class StatFsOut {
    /** Bytes of the fixed part. */
    public static final int SIZE = 80;

    public static final int BLOCKS = 0;

    public static final int BFREE = 8;

    public static final int BAVAIL = 16;

    public static final int FILES = 24;

    public static final int FFREE = 32;

    public static final int BSIZE = 40;

    public static final int NAMELEN = 44;

    public static final int FRSIZE = 48;

    private StatFsOut() {}
  }
}
