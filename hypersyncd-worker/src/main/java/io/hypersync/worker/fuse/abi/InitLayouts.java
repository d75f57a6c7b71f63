package io.hypersync.worker.fuse.abi;

/** The structs of INIT and INTERRUPT. */
public final class InitLayouts {
  private InitLayouts() {}

  /**
   * {@code fuse_init_in}: what the kernel supports and offers; kernels before 7.36 send only the
   * first 16 bytes.
   *
   * <pre>
   *    0 | major     | minor     | max_readahead| flags     |
   *   16 | flags2    | unused    | unused                |
   *   32 | unused                                        |
   *   48 | unused                                        |
   * </pre>
   */
  public static final class InitIn {
    /** Bytes of the fixed part. */
    public static final int SIZE = 64;

    public static final int MAJOR = 0;

    public static final int MINOR = 4;

    public static final int MAX_READAHEAD = 8;

    public static final int FLAGS = 12;

    public static final int FLAGS2 = 16;

    private InitIn() {}
  }

  /**
   * {@code fuse_init_out}: what the daemon supports and accepts; {@code bg} is max_background,
   * {@code cong} congestion_threshold, {@code pages} max_pages, {@code align} map_alignment, {@code
   * tmo} request_timeout.
   *
   * <pre>
   *    0 | major     | minor     | max_readahead| flags     |
   *   16 | bg   | cong | max_write | time_gran | pages| align|
   *   32 | flags2    | max_stack | tmo  | pad  | unused    |
   *   48 | unused                                        |
   * </pre>
   */
  public static final class InitOut {
    /** Bytes of the fixed part. */
    public static final int SIZE = 64;

    public static final int MAJOR = 0;

    public static final int MINOR = 4;

    public static final int MAX_READAHEAD = 8;

    public static final int FLAGS = 12;

    /** Offset of {@code bg}. */
    public static final int MAX_BACKGROUND = 16;

    /** Offset of {@code cong}. */
    public static final int CONGESTION_THRESHOLD = 18;

    public static final int MAX_WRITE = 20;

    public static final int TIME_GRAN = 24;

    /** Offset of {@code pages}. */
    public static final int MAX_PAGES = 28;

    public static final int FLAGS2 = 32;

    private InitOut() {}
  }

  /**
   * {@code fuse_interrupt_in}: which request was interrupted.
   *
   * <pre>
   *    0 | unique                |
   * </pre>
   */
  public static final class InterruptIn {
    /** Bytes of the fixed part. */
    public static final int SIZE = 8;

    public static final int UNIQUE = 0;

    private InterruptIn() {}
  }
}
