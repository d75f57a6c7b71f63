package io.hypersync.worker.coherence;

import io.hypersync.model.id.InodeNo;

/**
 * A range of a file's pages that the kernel may have cached.
 *
 * @param inode the file's inode number
 * @param offset the first byte
 * @param length in bytes, or {@link #TO_THE_END}
 */
public record PageRange(InodeNo inode, long offset, long length) {
  /** The length of a range that has no end, as in {@code FUSE_NOTIFY_INVAL_INODE}. */
  public static final long TO_THE_END = 0;

  /** All pages of a file. */
  static PageRange all(InodeNo inode) {
    return new PageRange(inode, 0, TO_THE_END);
  }
}
