package io.hypersync.model.lock;

/**
 * The two kinds of advisory locks. As on Linux, a lock of one kind never conflicts with one of the
 * other.
 */
public enum LockSpace {
  /** flock(2): the whole file; the owner is an open file description. */
  FLOCK,
  /**
   * fcntl(2): byte ranges; the owner is a process. Locks of open file descriptions (F_OFD_*) belong
   * here too: the FUSE protocol distinguishes them from process locks only by the owner number.
   */
  POSIX
}
