package io.hypersync.worker.fuse.abi;

/** The structs of the extended attribute requests. */
public final class XattrLayouts {
  private XattrLayouts() {}

  /**
   * {@code fuse_setxattr_in}: the short form, followed by the name and {@code size} bytes of value.
   *
   * <pre>
   *    0 | size      | flags     | name ...| value ...
   * </pre>
   */
  public static final class SetXattrIn {
    /** Bytes of the fixed part. */
    public static final int SIZE = 8;

    /** Offset of {@code size}. */
    public static final int LENGTH = 0;

    public static final int FLAGS = 4;

    private SetXattrIn() {}
  }

  /**
   * {@code fuse_setxattr_in}: the long form, sent if {@link InitFlag#SETXATTR_EXT} was accepted.
   *
   * <pre>
   *    0 | size      | flags     | setxattr_flags| pad       | name ...| value ...
   * </pre>
   */
  public static final class SetXattrExtIn {
    /** Bytes of the fixed part. */
    public static final int SIZE = 16;

    /** Offset of {@code size}. */
    public static final int LENGTH = 0;

    public static final int FLAGS = 4;

    public static final int SETXATTR_FLAGS = 8;

    private SetXattrExtIn() {}
  }

  /**
   * {@code fuse_getxattr_in}: of GETXATTR (followed by the name) and LISTXATTR; size 0 asks for the
   * size.
   *
   * <pre>
   *    0 | size      | pad       | name ...
   * </pre>
   */
  public static final class GetXattrIn {
    /** Bytes of the fixed part. */
    public static final int SIZE = 8;

    /** Offset of {@code size}. */
    public static final int LENGTH = 0;

    private GetXattrIn() {}
  }

  /**
   * {@code fuse_getxattr_out}: the size, where size 0 asked for it.
   *
   * <pre>
   *    0 | size      | pad       |
   * </pre>
   */
  public static final class GetXattrOut {
    /** Bytes of the fixed part. */
    public static final int SIZE = 8;

    /** Offset of {@code size}. */
    public static final int LENGTH = 0;

    private GetXattrOut() {}
  }
}
