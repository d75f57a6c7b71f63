package io.hypersync.worker.fuse.abi;

/** The structs of the requests that change names. A name ends with a NUL byte. */
public final class NameLayouts {
  private NameLayouts() {}

  /**
   * {@code fuse_forget_in}: by how much to decrease the lookup count.
   *
   * <pre>
   *    0 | nlookup               |
   * </pre>
   */
  public static final class ForgetIn {
    /** Bytes of the fixed part. */
    public static final int SIZE = 8;

    public static final int NLOOKUP = 0;

    private ForgetIn() {}
  }

  /**
   * {@code fuse_forget_one}: one row of a batch.
   *
   * <pre>
   *    0 | nodeid                | nlookup               |
   * </pre>
   */
  public static final class ForgetOne {
    /** Bytes of the fixed part. */
    public static final int SIZE = 16;

    public static final int NODEID = 0;

    public static final int NLOOKUP = 8;

    private ForgetOne() {}
  }

  /**
   * {@code fuse_batch_forget_in}: followed by {@code count} rows of {@link ForgetOne}.
   *
   * <pre>
   *    0 | count     | dummy     | rows ...
   * </pre>
   */
  public static final class BatchForgetIn {
    /** Bytes of the fixed part. */
    public static final int SIZE = 8;

    public static final int COUNT = 0;

    private BatchForgetIn() {}
  }

  /**
   * {@code fuse_mknod_in}: followed by the name.
   *
   * <pre>
   *    0 | mode      | rdev      | umask     | pad       | name ...
   * </pre>
   */
  public static final class MkNodIn {
    /** Bytes of the fixed part. */
    public static final int SIZE = 16;

    public static final int MODE = 0;

    public static final int RDEV = 4;

    public static final int UMASK = 8;

    private MkNodIn() {}
  }

  /**
   * {@code fuse_mkdir_in}: followed by the name.
   *
   * <pre>
   *    0 | mode      | umask     | name ...
   * </pre>
   */
  public static final class MkDirIn {
    /** Bytes of the fixed part. */
    public static final int SIZE = 8;

    public static final int MODE = 0;

    public static final int UMASK = 4;

    private MkDirIn() {}
  }

  /**
   * {@code fuse_rename_in}: followed by the old and the new name.
   *
   * <pre>
   *    0 | newdir                | oldname ...| newname ...
   * </pre>
   */
  public static final class RenameIn {
    /** Bytes of the fixed part. */
    public static final int SIZE = 8;

    public static final int NEWDIR = 0;

    private RenameIn() {}
  }

  /**
   * {@code fuse_rename2_in}: followed by the old and the new name.
   *
   * <pre>
   *    0 | newdir                | flags     | pad       | oldname ...| newname ...
   * </pre>
   */
  public static final class Rename2In {
    /** Bytes of the fixed part. */
    public static final int SIZE = 16;

    public static final int NEWDIR = 0;

    public static final int FLAGS = 8;

    private Rename2In() {}
  }

  /**
   * {@code fuse_link_in}: followed by the new name.
   *
   * <pre>
   *    0 | oldnodeid             | newname ...
   * </pre>
   */
  public static final class LinkIn {
    /** Bytes of the fixed part. */
    public static final int SIZE = 8;

    public static final int OLDNODEID = 0;

    private LinkIn() {}
  }

  /**
   * {@code fuse_access_in}: the access asked for, as in access(2).
   *
   * <pre>
   *    0 | mask      | pad       |
   * </pre>
   */
  public static final class AccessIn {
    /** Bytes of the fixed part. */
    public static final int SIZE = 8;

    public static final int MASK = 0;

    private AccessIn() {}
  }
}
