package io.hypersync.worker.fuse.abi;

/** The structs of directory listings; every row is padded with zeros to a multiple of 8 bytes. */
public final class DirLayouts {
  private DirLayouts() {}

  /**
   * {@code fuse_dirent}: one name; {@code off} is the cookie from which the listing continues after
   * it. The name has no NUL.
   *
   * <pre>
   *    0 | ino                   | off                   |
   *   16 | namelen   | type      | name ...
   * </pre>
   */
  public static final class Dirent {
    /** Bytes of the fixed part. */
    public static final int SIZE = 24;

    public static final int INO = 0;

    public static final int OFF = 8;

    public static final int NAMELEN = 16;

    public static final int TYPE = 20;

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

    public static final int ENTRY_OUT = 0;

    public static final int DIRENT = 128;

    private DirentPlus() {}
  }
}
