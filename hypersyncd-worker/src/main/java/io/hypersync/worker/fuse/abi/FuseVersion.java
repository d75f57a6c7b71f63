package io.hypersync.worker.fuse.abi;

/** Which versions of the kernel protocol are spoken. */
public final class FuseVersion {
  /** The only major version there is since Linux 2.6.14. */
  public static final int MAJOR = 7;

  /** The newest minor version whose messages are understood (Linux 6.18). */
  public static final int MINOR = 45;

  /**
   * Since when kernels are told to keep names (Linux 6.16): of these it is known what they lock
   * while a name changes.
   */
  public static final int NAMES_MINOR = 44;

  /** Since when the kernel can be asked to let go of nodes (Linux 6.18). */
  public static final int PRUNE_MINOR = 45;

  /** The oldest minor version accepted (Linux 5.4): {@code FUSE_WRITE_KILL_PRIV} came with it. */
  public static final int MIN_MINOR = 31;

  private FuseVersion() {}
}
