package io.hypersync.worker.vfs;

import io.hypersync.worker.fuse.abi.FuseFlags;

/**
 * What the kernel may cache, and which requests wait for newer state.
 *
 * @param attributes whether it may cache attributes and pages
 * @param names whether it may cache names and their absence; requires a kernel whose locking during
 *     a change of a name is known
 * @param strictOpen whether open waits until everything that is known to be committed is visible
 *     (hypersync.md 6.8); an open that can write waits for everything that is committed
 * @param strictReads whether every read waits until everything that is committed is visible (5.3)
 * @param keepNs cache lifetime of whatever may be cached, in nanoseconds; invalidations end it
 *     earlier
 */
public record CachePolicy(
    boolean attributes, boolean names, boolean strictOpen, boolean strictReads, long keepNs) {
  static final long KEEP_NS = 3_600_000_000_000L;

  /** As long as the kernel can count, and no clock shows. */
  private static final long CENTURY_NS = 100L * 365 * 24 * KEEP_NS;

  /** Everything is kept for ever: the state is one of the past. */
  public static final CachePolicy OF_THE_PAST =
      new CachePolicy(true, true, false, false, CENTURY_NS);

  /**
   * For this long after a process of this host has changed names in a directory, none of that
   * directory's names are cached, except those of subdirectories.
   */
  static final long QUIET_NS = 1_000_000_000L;

  /** A policy with the usual lifetime. */
  public CachePolicy(boolean attributes, boolean names, boolean strictOpen, boolean strictReads) {
    this(attributes, names, strictOpen, strictReads, KEEP_NS);
  }

  /** Whether nothing ever changes, so that nobody has to know what the kernel has cached. */
  boolean isOfThePast() {
    return keepNs == CENTURY_NS;
  }

  /** Whether an open that can write asks the leader first whether its path is still right. */
  boolean asksBeforeWriting() {
    return strictOpen || strictReads;
  }

  /** Flags of the reply to OPEN for a handle that only reads. */
  int readerFlags() {
    if (strictReads) {
      return FuseFlags.OpenReply.DIRECT_IO;
    }
    return attributes ? FuseFlags.OpenReply.KEEP_CACHE : 0;
  }

  /**
   * Whether the kernel may cache listings. They are cached only together with the names in them,
   * which also limits this to kernels that drop a listing at an open without KEEP_CACHE.
   */
  boolean listings() {
    return attributes && names;
  }

  /** Flags of the reply to OPENDIR. */
  int listingFlags(CachedListing.Use use) {
    return switch (use) {
      case NONE -> listings() ? FuseFlags.OpenReply.KEEP_CACHE : 0;
      case REFILL -> FuseFlags.OpenReply.CACHE_DIR;
      case FILL, READ -> FuseFlags.OpenReply.CACHE_DIR | FuseFlags.OpenReply.KEEP_CACHE;
    };
  }

  /** Disables caching under {@code strictReads}, where every read has to ask the leader. */
  public CachePolicy {
    attributes = attributes && !strictReads;
    names = names && !strictReads;
  }
}
