package io.hypersync.worker.fuse.dev;

/**
 * What statx(2) says of a file of this host.
 *
 * @param device of its filesystem, major number in the upper 32 bits
 * @param inode its inode number there
 * @param bornNs birth time, nanoseconds since the epoch; 0 if the filesystem has none
 * @param mode type and permission bits
 * @param links number of hard links
 * @param uid owner
 * @param gid group
 * @param size bytes
 * @param blocks units of 512 bytes
 * @param atimeNs last access, nanoseconds since the epoch, as the others
 * @param mtimeNs last modification
 * @param ctimeNs last change of attributes
 * @param rdev device number of a device node in the kernel's 32-bit form
 * @param blockBytes preferred I/O size
 */
public record HostStat(
    long device,
    long inode,
    long bornNs,
    int mode,
    int links,
    int uid,
    int gid,
    long size,
    long blocks,
    long atimeNs,
    long mtimeNs,
    long ctimeNs,
    int rdev,
    int blockBytes) {
  private static final int TYPE = 0170000;
  private static final int DIRECTORY = 0040000;
  private static final int REGULAR = 0100000;

  /** Whether it is a directory. */
  public boolean isDirectory() {
    return (mode & TYPE) == DIRECTORY;
  }

  /** Whether it is a regular file. */
  public boolean isRegular() {
    return (mode & TYPE) == REGULAR;
  }
}
