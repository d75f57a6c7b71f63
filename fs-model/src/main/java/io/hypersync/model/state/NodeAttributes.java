package io.hypersync.model.state;

/**
 * The attributes of a node (hypersync.md 5.1). Times are nanoseconds since 1970 by the leader's
 * clock (9.4), except an mtime that utimensat has set; atime is not replicated.
 *
 * @param mode the 12 permission bits
 * @param uid owner, 32 bits unsigned
 * @param gid group, 32 bits unsigned
 * @param nlink number of names; for a directory 2 plus one per subdirectory; 0 for an orphan
 * @param size in bytes, of a file or of a symlink's target; 0 otherwise
 * @param mtimeNs last change of the content
 * @param ctimeNs last change of content or attributes
 * @param btimeNs creation
 * @param rdev device number, for device nodes only
 */
public record NodeAttributes(
    int mode,
    int uid,
    int gid,
    int nlink,
    long size,
    long mtimeNs,
    long ctimeNs,
    long btimeNs,
    int rdev) {
  /** S_ISUID. */
  public static final int SET_USER_ID = 04000;

  /** S_ISGID. */
  public static final int SET_GROUP_ID = 02000;

  private static final int GROUP_EXECUTE = 0010;

  NodeAttributes withMode(int newMode) {
    return new NodeAttributes(newMode, uid, gid, nlink, size, mtimeNs, ctimeNs, btimeNs, rdev);
  }

  NodeAttributes withOwner(int newUid, int newGid) {
    return new NodeAttributes(mode, newUid, newGid, nlink, size, mtimeNs, ctimeNs, btimeNs, rdev);
  }

  NodeAttributes withNlink(int newNlink) {
    return new NodeAttributes(mode, uid, gid, newNlink, size, mtimeNs, ctimeNs, btimeNs, rdev);
  }

  NodeAttributes withSize(long newSize) {
    return new NodeAttributes(mode, uid, gid, nlink, newSize, mtimeNs, ctimeNs, btimeNs, rdev);
  }

  NodeAttributes withMtime(long newMtimeNs) {
    return new NodeAttributes(mode, uid, gid, nlink, size, newMtimeNs, ctimeNs, btimeNs, rdev);
  }

  NodeAttributes changed(long timeNs) {
    return new NodeAttributes(mode, uid, gid, nlink, size, mtimeNs, timeNs, btimeNs, rdev);
  }

  NodeAttributes modified(long timeNs) {
    return new NodeAttributes(mode, uid, gid, nlink, size, timeNs, timeNs, btimeNs, rdev);
  }

  /**
   * Without set-user-id, and without set-group-id if the group may execute: otherwise that bit is
   * not a privilege, and the Linux kernel keeps it, too.
   */
  NodeAttributes withoutSetIds() {
    int cleared = mode & ~SET_USER_ID;
    if ((mode & GROUP_EXECUTE) != 0) {
      cleared &= ~SET_GROUP_ID;
    }
    return withMode(cleared);
  }
}
