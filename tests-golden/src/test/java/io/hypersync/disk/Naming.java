package io.hypersync.disk;

/** When a change of names (a new, moved or removed name) becomes durable. */
public enum Naming {
  /**
   * Only what POSIX promises: a name is durable once its directory has been synced. Syncing a file
   * does not make its names durable, and changes that were not synced survive in any combination.
   */
  STRICT,

  /**
   * As in ext4 and XFS: all changes of names go through one journal. Syncing a file or directory
   * makes the journal durable up to the last change that concerns it; of the rest, a prefix
   * survives.
   */
  JOURNALED
}
