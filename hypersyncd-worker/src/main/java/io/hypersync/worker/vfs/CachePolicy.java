package io.hypersync.worker.vfs;

import io.hypersync.worker.fuse.abi.FuseFlags;

/**
 * What the kernel may keep, and what readers wait for.
 *
 * @param attributes whether it may keep attributes, and pages
 * @param names whether it may keep names, and the absence of names; needs a kernel of which it is
 *     known what it locks while a name changes
 * @param strictOpen whether open waits until everything is visible that is known to be committed
 *     (hypersync.md 6.8); one that can write, until everything is that is committed
 * @param strictReads whether every read waits until everything is visible that is committed (5.3)
 */
public record CachePolicy(
    boolean attributes, boolean names, boolean strictOpen, boolean strictReads) {
  /** How long something is kept that is kept at all: until it is taken back. */
  static final long KEEP_NS = 3_600_000_000_000L;

  /** A directory whose names this machine has changed within this time has none of them kept. */
  static final long QUIET_NS = 1_000_000_000L;

  /** Whether an open that can write asks the leader first whether its path is still right. */
  boolean asksBeforeWriting() {
    return strictOpen || strictReads;
  }

  /** How a handle that only reads is opened: bits of the reply to OPEN. */
  int readerFlags() {
    if (strictReads) {
      return FuseFlags.OpenReply.DIRECT_IO;
    }
    return attributes ? FuseFlags.OpenReply.KEEP_CACHE : 0;
  }

  /**
   * Whether listings may be kept: only along with the names that they hold, hence by kernels that
   * drop a listing at an open without KEEP_CACHE.
   */
  boolean listings() {
    return attributes && names;
  }

  /** How a directory is opened: bits of the reply to OPENDIR. */
  int listingFlags(KeptListing.Use use) {
    return switch (use) {
      case NONE -> listings() ? FuseFlags.OpenReply.KEEP_CACHE : 0;
      case REFILL -> FuseFlags.OpenReply.CACHE_DIR;
      case FILL, READ -> FuseFlags.OpenReply.CACHE_DIR | FuseFlags.OpenReply.KEEP_CACHE;
    };
  }

  /** Nothing is kept where every read has to ask. */
  public CachePolicy {
    attributes = attributes && !strictReads;
    names = names && !strictReads;
  }
}
