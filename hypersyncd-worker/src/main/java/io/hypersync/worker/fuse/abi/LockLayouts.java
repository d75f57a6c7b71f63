package io.hypersync.worker.fuse.abi;

/** The structs of GETLK, SETLK and SETLKW. */
public final class LockLayouts {
  private LockLayouts() {}

  /**
   * {@code fuse_file_lock}: a range, both ends inclusive, and its kind as in fcntl(2).
   *
   * <pre>
   *    0 | start                 | end                   |
   *   16 | type      | pid       |
   * </pre>
   */
  public static final class FileLock {
    /** Bytes of the fixed part. */
    public static final int SIZE = 24;

    public static final int START = 0;

    public static final int END = 8;

    public static final int TYPE = 16;

    public static final int PID = 20;

    private FileLock() {}
  }

  /**
   * {@code fuse_lk_in}: {@code lk} is a {@link FileLock}.
   *
   * <pre>
   *    0 | fh                    | owner                 |
   *   16 | lk                                            | lk_flags  | pad       |
   * </pre>
   */
  public static final class LockIn {
    /** Bytes of the fixed part. */
    public static final int SIZE = 48;

    public static final int FH = 0;

    public static final int OWNER = 8;

    public static final int LK = 16;

    public static final int LK_FLAGS = 40;

    private LockIn() {}
  }

  /**
   * {@code fuse_lk_out}: {@code lk} is a {@link FileLock}.
   *
   * <pre>
   *    0 | lk                                            |
   * </pre>
   */
  public static final class LockOut {
    /** Bytes of the fixed part. */
    public static final int SIZE = 24;

    public static final int LK = 0;

    private LockOut() {}
  }
}
