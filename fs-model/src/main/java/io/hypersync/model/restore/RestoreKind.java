package io.hypersync.model.restore;

/** What is done to a path when it is restored. */
public enum RestoreKind {
  /** Nothing was there any more; a new node is made. */
  MADE,
  /** Another node was there; a new one takes its name. */
  REPLACED,
  /** The node was there and is changed in place: content, mode, owner, xattrs or mtime. */
  CHANGED,
  /** The node was elsewhere below the path that is restored, and is moved. */
  MOVED,
  /** The node gets a further name (hard link). */
  LINKED,
  /** What was not there then is removed. */
  REMOVED,
  /** A directory's mtime is set, which the other changes have moved. */
  TIMES
}
