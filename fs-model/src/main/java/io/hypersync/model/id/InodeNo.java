package io.hypersync.model.id;

/**
 * The inode number that every worker reports as {@code st_ino}. The state holds the counter that
 * assigns it, so it is the same on all workers and never reused (hypersync.md 5.2.1, 7.1). The root
 * directory has 1, which is also FUSE's root node id.
 *
 * @param value at least 1; 0 in a request of the kernel that is about no inode
 */
public record InodeNo(long value) {
  /** Inode number of the root directory. */
  public static final InodeNo ROOT = new InodeNo(1);

  @Override
  public String toString() {
    return Long.toUnsignedString(value);
  }
}
