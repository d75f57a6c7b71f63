package io.hypersync.worker.fuse.abi;

/** The header of every message. */
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

    public static final int LEN = 0;

    public static final int OPCODE = 4;

    public static final int UNIQUE = 8;

    public static final int NODEID = 16;

    public static final int UID = 24;

    public static final int GID = 28;

    public static final int PID = 32;

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

    public static final int LEN = 0;

    public static final int ERROR = 4;

    public static final int UNIQUE = 8;

    private OutHeader() {}
  }
}
