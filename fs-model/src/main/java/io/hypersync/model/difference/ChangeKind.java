package io.hypersync.model.difference;

/** What has become of a node, or of one of its names. */
public enum ChangeKind {
  /** The node has a name in the second state only. */
  ADDED,
  /** The node has a name in the first state only. */
  REMOVED,
  /** The node has another parent or name, and maybe other aspects. */
  MOVED,
  /** The name is the same, and {@link Aspect}s differ. */
  CHANGED,
  /** A further name of a node, in the second state only (hard link). */
  LINKED,
  /** One of several names of a node, in the first state only (hard link). */
  UNLINKED
}
