package io.hypersync.worker.fuse.protocol;

import io.hypersync.model.id.InodeNo;

/**
 * The attributes of a node, as in {@code fuse_attr}.
 *
 * @param ino the inode number, shown as {@code st_ino}
 * @param size bytes
 * @param blocks units of 512 bytes
 * @param atimeNs last access, nanoseconds since the epoch, negative before 1970
 * @param mtimeNs last modification, likewise
 * @param ctimeNs last change of attributes, likewise
 * @param mode type and permission bits, as {@code st_mode}
 * @param nlink number of hard links
 * @param uid owner
 * @param gid group
 * @param rdev device number of a device node in the kernel's 32-bit form, else 0
 * @param blksize preferred I/O size in bytes
 */
public record FuseAttr(
    InodeNo ino,
    long size,
    long blocks,
    long atimeNs,
    long mtimeNs,
    long ctimeNs,
    int mode,
    int nlink,
    int uid,
    int gid,
    int rdev,
    int blksize) {
  /** A copy with another link count. */
  public FuseAttr withNlink(int links) {
    return new FuseAttr(
        ino, size, blocks, atimeNs, mtimeNs, ctimeNs, mode, links, uid, gid, rdev, blksize);
  }

  /** The type bits of the mode as a {@code d_type} of a directory listing. */
  public int direntType() {
    return (mode >>> 12) & 0xf;
  }
}
