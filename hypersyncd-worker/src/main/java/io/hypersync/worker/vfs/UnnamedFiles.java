package io.hypersync.worker.vfs;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Files that O_TMPFILE has made here and that may still get their first name: those made without
 * O_EXCL, until they get it or the kernel forgets them. Any other file without a name has been
 * unlinked, and stays so. Threads: any.
 */
final class UnnamedFiles {
  private final Set<Long> inodes = ConcurrentHashMap.newKeySet();

  /** A file was made. */
  void made(long inode) {
    inodes.add(inode);
  }

  /** Whether the file may get its first name. */
  boolean contains(long inode) {
    return inodes.contains(inode);
  }

  /** The file has a name now, or nobody has it open any more. */
  void remove(long inode) {
    inodes.remove(inode);
  }
}
