package io.hypersync.worker.fuse.abi;

/** What every message begins with. */
public final class HeaderLayouts {
  private HeaderLayouts() {}

  /**
   * {@code fuse_in_header}: before every request; {@code len} counts the header and everything
   * after it, {@code extlen} counts extensions at the end in units of 8 bytes.
   *
   * <pre>
   *    0 | len       | opcode    | unique                |
   *   16 | nodeid                | uid       | gid       |
   *   32 | pid       | extlen| pad  |
   * </pre>
   */
  public static final class InHeader {
    /** Bytes of the fixed part. */
    public static final int SIZE = 40;

    /** Offset of {@code len}. */
    public static final int LEN = 0;

    /** Offset of {@code opcode}. */
    public static final int OPCODE = 4;

    /** Offset of {@code unique}. */
    public static final int UNIQUE = 8;

    /** Offset of {@code nodeid}. */
    public static final int NODEID = 16;

    /** Offset of {@code uid}. */
    public static final int UID = 24;

    /** Offset of {@code gid}. */
    public static final int GID = 28;

    /** Offset of {@code pid}. */
    public static final int PID = 32;

    /** Offset of {@code extlen}. */
    public static final int EXTLEN = 36;

    private InHeader() {}
  }

  /**
   * {@code fuse_out_header}: before every reply; {@code error} is 0 or a negative errno. A
   * notification has {@code unique} 0 and its code in {@code error}.
   *
   * <pre>
   *    0 | len       | error     | unique                |
   * </pre>
   */
  public static final class OutHeader {
    /** Bytes of the fixed part. */
    public static final int SIZE = 16;

    /** Offset of {@code len}. */
    public static final int LEN = 0;

    /** Offset of {@code error}. */
    public static final int ERROR = 4;

    /** Offset of {@code unique}. */
    public static final int UNIQUE = 8;

    private OutHeader() {}
  }
}
