package io.hypersync.disk;

/** Syncs that a disk ignores while it reports success, for tests which must detect that. */
public enum Lie {
  /** fsync, fdatasync, msync, and O_SYNC and O_DSYNC writes of files. */
  FILE_SYNCS,

  /** fsync of directories. */
  DIRECTORY_SYNCS
}
