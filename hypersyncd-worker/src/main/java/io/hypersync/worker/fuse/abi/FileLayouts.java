package io.hypersync.worker.fuse.abi;

/** The structs of the requests on open files. */
public final class FileLayouts {
  private FileLayouts() {}

  /**
   * {@code fuse_open_in}: of OPEN and OPENDIR.
   *
   * <pre>
   *    0 | flags     | open_flags|
   * </pre>
   */
  public static final class OpenIn {
    /** Bytes of the fixed part. */
    public static final int SIZE = 8;

    public static final int FLAGS = 0;

    public static final int OPEN_FLAGS = 4;

    private OpenIn() {}
  }

  /**
   * {@code fuse_create_in}: of CREATE and TMPFILE, followed by the name.
   *
   * <pre>
   *    0 | flags     | mode      | umask     | open_flags| name ...
   * </pre>
   */
  public static final class CreateIn {
    /** Bytes of the fixed part. */
    public static final int SIZE = 16;

    public static final int FLAGS = 0;

    public static final int MODE = 4;

    public static final int UMASK = 8;

    public static final int OPEN_FLAGS = 12;

    private CreateIn() {}
  }

  /**
   * {@code fuse_open_out}: the handle that later requests carry.
   *
   * <pre>
   *    0 | fh                    | open_flags| backing_id|
   * </pre>
   */
  public static final class OpenOut {
    /** Bytes of the fixed part. */
    public static final int SIZE = 16;

    public static final int FH = 0;

    public static final int OPEN_FLAGS = 8;

    private OpenOut() {}
  }

  /**
   * {@code fuse_read_in}: of READ, READDIR and READDIRPLUS.
   *
   * <pre>
   *    0 | fh                    | offset                |
   *   16 | size      | read_flags| lock_owner            |
   *   32 | flags     | pad       |
   * </pre>
   */
  public static final class ReadIn {
    /** Bytes of the fixed part. */
    public static final int SIZE = 40;

    public static final int FH = 0;

    public static final int OFFSET = 8;

    /** Offset of {@code size}. */
    public static final int LENGTH = 16;

    public static final int READ_FLAGS = 20;

    public static final int LOCK_OWNER = 24;

    public static final int FLAGS = 32;

    private ReadIn() {}
  }

  /**
   * {@code fuse_write_in}: followed by {@code size} bytes.
   *
   * <pre>
   *    0 | fh                    | offset                |
   *   16 | size      | write_flags| lock_owner            |
   *   32 | flags     | pad       | data ...
   * </pre>
   */
  public static final class WriteIn {
    /** Bytes of the fixed part. */
    public static final int SIZE = 40;

    public static final int FH = 0;

    public static final int OFFSET = 8;

    /** Offset of {@code size}. */
    public static final int LENGTH = 16;

    public static final int WRITE_FLAGS = 20;

    public static final int LOCK_OWNER = 24;

    public static final int FLAGS = 32;

    private WriteIn() {}
  }

  /**
   * {@code fuse_write_out}: how many bytes were written or copied.
   *
   * <pre>
   *    0 | size      | pad       |
   * </pre>
   */
  public static final class WriteOut {
    /** Bytes of the fixed part. */
    public static final int SIZE = 8;

    /** Offset of {@code size}. */
    public static final int LENGTH = 0;

    private WriteOut() {}
  }

  /**
   * {@code fuse_release_in}: of RELEASE and RELEASEDIR.
   *
   * <pre>
   *    0 | fh                    | flags     | release_flags|
   *   16 | lock_owner            |
   * </pre>
   */
  public static final class ReleaseIn {
    /** Bytes of the fixed part. */
    public static final int SIZE = 24;

    public static final int FH = 0;

    public static final int FLAGS = 8;

    public static final int RELEASE_FLAGS = 12;

    public static final int LOCK_OWNER = 16;

    private ReleaseIn() {}
  }

  /**
   * {@code fuse_flush_in}: of FLUSH.
   *
   * <pre>
   *    0 | fh                    | unused    | pad       |
   *   16 | lock_owner            |
   * </pre>
   */
  public static final class FlushIn {
    /** Bytes of the fixed part. */
    public static final int SIZE = 24;

    public static final int FH = 0;

    public static final int LOCK_OWNER = 16;

    private FlushIn() {}
  }

  /**
   * {@code fuse_fsync_in}: of FSYNC and FSYNCDIR.
   *
   * <pre>
   *    0 | fh                    | fsync_flags| pad       |
   * </pre>
   */
  public static final class FsyncIn {
    /** Bytes of the fixed part. */
    public static final int SIZE = 16;

    public static final int FH = 0;

    public static final int FSYNC_FLAGS = 8;

    private FsyncIn() {}
  }

  /**
   * {@code fuse_lseek_in}: of LSEEK.
   *
   * <pre>
   *    0 | fh                    | offset                |
   *   16 | whence    | pad       |
   * </pre>
   */
  public static final class LseekIn {
    /** Bytes of the fixed part. */
    public static final int SIZE = 24;

    public static final int FH = 0;

    public static final int OFFSET = 8;

    public static final int WHENCE = 16;

    private LseekIn() {}
  }

  /**
   * {@code fuse_lseek_out}: the offset found.
   *
   * <pre>
   *    0 | offset                |
   * </pre>
   */
  public static final class LseekOut {
    /** Bytes of the fixed part. */
    public static final int SIZE = 8;

    public static final int OFFSET = 0;

    private LseekOut() {}
  }

  /**
   * {@code fuse_fallocate_in}: of FALLOCATE.
   *
   * <pre>
   *    0 | fh                    | offset                |
   *   16 | length                | mode      | pad       |
   * </pre>
   */
  public static final class FallocateIn {
    /** Bytes of the fixed part. */
    public static final int SIZE = 32;

    public static final int FH = 0;

    public static final int OFFSET = 8;

    public static final int LENGTH = 16;

    public static final int MODE = 24;

    private FallocateIn() {}
  }

  /**
   * {@code fuse_copy_file_range_in}: of COPY_FILE_RANGE and COPY_FILE_RANGE_64.
   *
   * <pre>
   *    0 | fh_in                 | off_in                |
   *   16 | nodeid_out            | fh_out                |
   *   32 | off_out               | len                   |
   *   48 | flags                 |
   * </pre>
   */
  public static final class CopyFileRangeIn {
    /** Bytes of the fixed part. */
    public static final int SIZE = 56;

    public static final int FH_IN = 0;

    public static final int OFF_IN = 8;

    public static final int NODEID_OUT = 16;

    public static final int FH_OUT = 24;

    public static final int OFF_OUT = 32;

    public static final int LEN = 40;

    public static final int FLAGS = 48;

    private CopyFileRangeIn() {}
  }

  /**
   * {@code fuse_copy_file_range_out}: of COPY_FILE_RANGE_64 alone; the older request is answered
   * with {@link WriteOut}.
   *
   * <pre>
   *    0 | bytes_copied          |
   * </pre>
   */
  public static final class CopyFileRangeOut {
    /** Bytes of the fixed part. */
    public static final int SIZE = 8;

    public static final int BYTES_COPIED = 0;

    private CopyFileRangeOut() {}
  }

  /**
   * {@code fuse_bmap_in}: of BMAP.
   *
   * <pre>
   *    0 | block                 | blocksize | pad       |
   * </pre>
   */
  public static final class BmapIn {
    /** Bytes of the fixed part. */
    public static final int SIZE = 16;

    public static final int BLOCK = 0;

    public static final int BLOCKSIZE = 8;

    private BmapIn() {}
  }

  /**
   * {@code fuse_ioctl_in}: followed by {@code in_size} bytes.
   *
   * <pre>
   *    0 | fh                    | flags     | cmd       |
   *   16 | arg                   | in_size   | out_size  | data ...
   * </pre>
   */
  public static final class IoctlIn {
    /** Bytes of the fixed part. */
    public static final int SIZE = 32;

    public static final int FH = 0;

    public static final int FLAGS = 8;

    public static final int CMD = 12;

    public static final int ARG = 16;

    public static final int IN_SIZE = 24;

    public static final int OUT_SIZE = 28;

    private IoctlIn() {}
  }

  /**
   * {@code fuse_poll_in}: of POLL.
   *
   * <pre>
   *    0 | fh                    | kh                    |
   *   16 | flags     | events    |
   * </pre>
   */
  public static final class PollIn {
    /** Bytes of the fixed part. */
    public static final int SIZE = 24;

    public static final int FH = 0;

    public static final int KH = 8;

    public static final int FLAGS = 16;

    public static final int EVENTS = 20;

    private PollIn() {}
  }
}
