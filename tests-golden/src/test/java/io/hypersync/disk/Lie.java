package io.hypersync.disk;

/** What a disk only pretends to do, for tests that must notice. */
public enum Lie {
  /** fsync, fdatasync, msync, and O_SYNC and O_DSYNC writes of files. */
  FILE_SYNCS,

  /** fsync of directories. */
  DIRECTORY_SYNCS
}
