package io.hypersync.worker.fuse.abi;

/** The versions of the kernel protocol that are supported. */
public final class FuseVersion {
  /** The only major version there is since Linux 2.6.14. */
  public static final int MAJOR = 7;

  /** The newest minor version whose messages are supported (Linux 6.18). */
  public static final int MINOR = 45;

  /**
   * Names are cached only by kernels from this minor version on (Linux 6.16): of these it is known
   * which locks they hold while a name changes.
   */
  public static final int NAMES_MINOR = 44;

  /** First minor version that can be asked to drop unused nodes (Linux 6.18). */
  public static final int PRUNE_MINOR = 45;

  /**
   * The oldest minor version accepted (Linux 5.4), which introduced {@code FUSE_WRITE_KILL_PRIV}.
   */
  public static final int MIN_MINOR = 31;

  private FuseVersion() {}
}
