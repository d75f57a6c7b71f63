package io.hypersync.model.lock;

/** The two kinds of advisory locks, which do not see each other, as on Linux. */
public enum LockSpace {
  /** flock(2): the whole file; the owner is an open file description. */
  FLOCK,
  /**
   * fcntl(2): ranges of bytes; the owner is a process. Locks of open file descriptions (F_OFD_*)
   * are here too: the FUSE protocol tells them apart by nothing but another owner.
   */
  POSIX
}
