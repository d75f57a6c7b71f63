package io.hypersync.worker.fuse.abi;

/** The structs of directory listings; every row is padded with zeros to a multiple of 8 bytes. */
public final class DirLayouts {
  private DirLayouts() {}

  /**
   * {@code fuse_dirent}: one name; {@code off} is the cookie from which to go on after it. The name
   * has no NUL.
   *
   * <pre>
   *    0 | ino                   | off                   |
   *   16 | namelen   | type      | name ...
   * </pre>
   */
  public static final class Dirent {
    /** Bytes of the fixed part. */
    public static final int SIZE = 24;

    /** Offset of {@code ino}. */
    public static final int INO = 0;

    /** Offset of {@code off}. */
    public static final int OFF = 8;

    /** Offset of {@code namelen}. */
    public static final int NAMELEN = 16;

    /** Offset of {@code type}. */
    public static final int TYPE = 20;

    /** Offset of {@code name}. */
    public static final int NAME = 24;

    private Dirent() {}
  }

  /**
   * {@code fuse_direntplus}: one name and its node: an {@link AttrLayouts.EntryOut}, then a {@link
   * Dirent}.
   *
   * <pre>
   *    0 | entry_out                                     |
   *  128 | dirent                                        | name ...
   * </pre>
   */
  public static final class DirentPlus {
    /** Bytes of the fixed part. */
    public static final int SIZE = 152;

    /** Offset of {@code entry_out}. */
    public static final int ENTRY_OUT = 0;

    /** Offset of {@code dirent}. */
    public static final int DIRENT = 128;

    private DirentPlus() {}
  }
}
