package io.hypersync.worker.fuse.abi;

/** The structs of notifications, which the daemon sends without a request. */
public final class NotifyLayouts {
  private NotifyLayouts() {}

  /**
   * {@code fuse_notify_inval_inode_out}: drop attributes, and pages from {@code off} when it is not
   * negative.
   *
   * <pre>
   *    0 | ino                   | off                   |
   *   16 | len                   |
   * </pre>
   */
  public static final class InvalInodeOut {
    /** Bytes of the fixed part. */
    public static final int SIZE = 24;

    public static final int INO = 0;

    public static final int OFF = 8;

    public static final int LEN = 16;

    private InvalInodeOut() {}
  }

  /**
   * {@code fuse_notify_inval_entry_out}: drop a name; followed by the name and a NUL.
   *
   * <pre>
   *    0 | parent                | namelen   | flags     | name ...
   * </pre>
   */
  public static final class InvalEntryOut {
    /** Bytes of the fixed part. */
    public static final int SIZE = 16;

    public static final int PARENT = 0;

    public static final int NAMELEN = 8;

    public static final int FLAGS = 12;

    public static final int NAME = 16;

    private InvalEntryOut() {}
  }

  /**
   * {@code fuse_notify_store_out}: store bytes in the pages of a node; followed by the bytes.
   *
   * <pre>
   *    0 | nodeid                | offset                |
   *   16 | size      | padding   | bytes ...
   * </pre>
   */
  public static final class StoreOut {
    /** Bytes of the fixed part. */
    public static final int SIZE = 24;

    public static final int NODEID = 0;

    public static final int OFFSET = 8;

    /** Offset of {@code size}. */
    public static final int LENGTH = 16;

    /** Offset of the first byte. */
    public static final int DATA = 24;

    private StoreOut() {}
  }

  /**
   * {@code fuse_notify_prune_out}: drop nodes that are not in use; followed by their numbers.
   *
   * <pre>
   *    0 | count     | padding   | spare                 | node numbers ...
   * </pre>
   */
  public static final class PruneOut {
    /** Bytes of the fixed part. */
    public static final int SIZE = 16;

    public static final int COUNT = 0;

    /** Offset of the first number. */
    public static final int NODES = 16;

    private PruneOut() {}
  }
}
