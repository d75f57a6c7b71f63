package io.hypersync.disk;

/** What makes a name durable: a new one, a moved one, one that is gone. */
public enum Naming {
  /**
   * What POSIX promises and no more: a name is durable when its directory has been synced. A sync
   * of a file says nothing about its names, and names that were not synced survive in any
   * combination.
   */
  STRICT,

  /**
   * As ext4 and XFS do it: all changes of names go through one journal. A sync of a file or a
   * directory makes the journal durable up to the last change that concerns it; of the rest, a
   * beginning survives.
   */
  JOURNALED
}
