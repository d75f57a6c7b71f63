package io.hypersync.model.difference;

/** In what two nodes, or one node at two times, differ. */
public enum Aspect {
  /** The name leads to another node of the same type: a file that was written anew and renamed. */
  REPLACED,
  /**
   * The size, or the chunks of a file; a symlink's target, or a device's number. Equal bytes in
   * other chunks count as another content.
   */
  CONTENT,
  /** The permission bits. */
  MODE,
  /** Owner or group. */
  OWNER,
  /** The extended attributes. */
  XATTRS,
  /** The time of the last change alone; never of a directory, nor beside other content. */
  MTIME
}
