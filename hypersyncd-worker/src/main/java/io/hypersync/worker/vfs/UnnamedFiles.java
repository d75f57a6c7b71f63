package io.hypersync.worker.vfs;

import io.hypersync.model.id.InodeNo;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Files made by O_TMPFILE on this mount that may still get their first name: those made without
 * O_EXCL, until they get a name or the kernel forgets them. Any other file without a name has been
 * unlinked and cannot get one. Thread-safe.
 */
final class UnnamedFiles {
  private final Set<InodeNo> inodes = ConcurrentHashMap.newKeySet();

  /** Adds a file that was made without O_EXCL. */
  void made(InodeNo inode) {
    inodes.add(inode);
  }

  /** Whether the file may still get its first name. */
  boolean contains(InodeNo inode) {
    return inodes.contains(inode);
  }

  /** Removes a file that has got a name or that the kernel has forgotten. */
  void remove(InodeNo inode) {
    inodes.remove(inode);
  }
}
